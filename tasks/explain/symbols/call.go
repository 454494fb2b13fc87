package symbols

import (
	"debug/elf"
	"encoding/binary"
)

// A transfer is an instruction that leads into another function on the same stack.
type transfer struct {
	// fixed tells that the instruction itself says where it leads: distance bytes on
	// from its own address.
	fixed    bool
	distance int64
}

// decode reads the call that code starts with, or the jump to a fixed place, which is
// how a function hands over to another that returns in its stead.
func decode(machine elf.Machine, code []byte) (transfer, bool) {
	switch machine {
	case elf.EM_X86_64:
		return decodeAMD64(code)
	case elf.EM_AARCH64:
		return decodeARM64(code)
	}
	return transfer{}, false
}

// decodeARM64 knows B and BL, and BLR (Arm Architecture Reference Manual, C6.2).
func decodeARM64(code []byte) (transfer, bool) {
	if len(code) < 4 {
		return transfer{}, false
	}
	word := binary.LittleEndian.Uint32(code)
	switch {
	case word&0x7c000000 == 0x14000000:
		// 26 bits, signed, that count words of 4 bytes.
		return transfer{fixed: true, distance: int64(int32(word<<6)>>6) * 4}, true
	case word&0xfffffc1f == 0xd63f0000:
		return transfer{}, true
	}
	return transfer{}, false
}

// decodeAMD64 knows the near calls and jumps of the Intel manual, volume 2, "CALL" and
// "JMP": E8 and E9 with four bytes of distance from the next instruction, EB with one,
// and calls by FF with 2 in the middle bits of the byte behind it.
func decodeAMD64(code []byte) (transfer, bool) {
	for i, c := range code {
		rest := code[i+1:]
		switch {
		case c == 0xe8 || c == 0xe9:
			if len(rest) < 4 {
				return transfer{}, false
			}
			distance := int32(binary.LittleEndian.Uint32(rest))
			return transfer{fixed: true, distance: int64(i) + 5 + int64(distance)}, true
		case c == 0xeb && len(rest) > 0:
			return transfer{fixed: true, distance: int64(i) + 2 + int64(int8(rest[0]))}, true
		case c == 0xff:
			return transfer{}, len(rest) > 0 && rest[0]>>3&7 == 2
		case c >= 0x40 && c <= 0x4f, c == 0x66, c == 0x3e:
			// REX, and prefixes that change no near call.
		default:
			return transfer{}, false
		}
	}
	return transfer{}, false
}
