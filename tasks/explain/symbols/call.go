package symbols

import (
	"debug/elf"
	"encoding/binary"
)

// isCall reports whether code starts with a call, or with a jump to a fixed place,
// which is how a function hands over to another that returns in its stead.
func isCall(machine elf.Machine, code []byte) bool {
	switch machine {
	case elf.EM_X86_64:
		return isCallAMD64(code)
	case elf.EM_AARCH64:
		if len(code) < 4 {
			return false
		}
		// Arm Architecture Reference Manual, C6.2: B and BL, and BLR.
		word := binary.LittleEndian.Uint32(code)
		return word&0x7c000000 == 0x14000000 || word&0xfffffc1f == 0xd63f0000
	}
	return false
}

// isCallAMD64 knows the near calls of the Intel manual, volume 2, "CALL": E8, and FF
// with 2 in the middle bits of the byte behind it; and of "JMP" E9 and EB.
func isCallAMD64(code []byte) bool {
	for i, c := range code {
		switch {
		case c == 0xe8, c == 0xe9, c == 0xeb:
			return true
		case c == 0xff:
			return i+1 < len(code) && code[i+1]>>3&7 == 2
		case c >= 0x40 && c <= 0x4f, c == 0x66, c == 0x3e:
			// REX, and prefixes that change no near call.
		default:
			return false
		}
	}
	return false
}
