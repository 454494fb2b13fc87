package engine

// The classes of bytes, as sets of 64 that a register holds.

// Of a token (RFC 9110 §5.6.2), for the bytes below 64 and from 64 to 127.
const (
	tokenLow = 1<<'!' | 1<<'#' | 1<<'$' | 1<<'%' | 1<<'&' | 1<<'\'' | 1<<'*' | 1<<'+' | 1<<'-' | 1<<'.' | digits
	tokenTop = 1<<('^'-64) | 1<<('_'-64) | 1<<('`'-64) | 1<<('|'-64) | 1<<('~'-64) | letters
)

// Of a host's name (RFC 3986 §3.2.2, without escapes): unreserved and
// sub-delims.
const (
	hostLow = 1<<'!' | 1<<'$' | 1<<'&' | 1<<'\'' | 1<<'(' | 1<<')' | 1<<'*' | 1<<'+' | 1<<',' | 1<<';' | 1<<'=' |
		1<<'-' | 1<<'.' | digits
	hostTop = 1<<('_'-64) | 1<<('~'-64) | letters
)

const (
	digits  = (1<<10 - 1) << '0'
	letters = (1<<26-1)<<('A'-64) | (1<<26-1)<<('a'-64)
)

func isToken(c byte) bool { return isIn(c, tokenLow, tokenTop) }

func isHostByte(c byte) bool { return isIn(c, hostLow, hostTop) }

func isIn(c byte, low, top uint64) bool {
	set := low
	if c >= 64 {
		set = top
	}
	return c < 128 && set>>(c&63)&1 != 0
}

// isValue tells what may stand in a field value (RFC 9110 §5.5): no control
// byte but the tab.
func isValue(c byte) bool { return c >= ' ' && c != 0x7f || c == '\t' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
