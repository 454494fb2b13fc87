package urlpath

// What a raw byte of a path is. Bytes that RFC 3986 wants escaped but that
// clients send as they are ("|", "^", UTF-8) are plain; the ones that other
// programs read as something else are bad.
const (
	plain = iota
	slash
	percent
	bad
)

var classes = [256]uint8{
	0: bad, 1: bad, 2: bad, 3: bad, 4: bad, 5: bad, 6: bad, 7: bad,
	8: bad, 9: bad, 10: bad, 11: bad, 12: bad, 13: bad, 14: bad, 15: bad,
	16: bad, 17: bad, 18: bad, 19: bad, 20: bad, 21: bad, 22: bad, 23: bad,
	24: bad, 25: bad, 26: bad, 27: bad, 28: bad, 29: bad, 30: bad, 31: bad,
	' ': bad, '"': bad, '#': bad, '<': bad, '>': bad, '?': bad, '\\': bad, 0x7f: bad,
	'/': slash, '%': percent,
}
