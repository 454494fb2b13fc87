package symbols

import (
	"bytes"
	"sort"
	"strings"
)

const (
	// deepest is how many inlined calls may stand in each other; a compiler stops
	// long before.
	deepest = 256

	inlineIndex   = 2  // abi.PCDATA_InlTreeIndex
	inlineTree    = 3  // abi.FUNCDATA_InlTree
	functionBytes = 44 // sizeof(runtime._func)
	inlineBytes   = 16 // sizeof(runtime.inlinedCall)
)

// Frames returns the functions that the address belongs to, the innermost first:
// those whose code is inlined there, and the one that holds it last. It returns nil
// for an address that is in no Go function.
func (t *Table) Frames(address uint64) []Frame {
	f, ok := t.function(address)
	if !ok {
		return nil
	}
	var frames []Frame
	for pc := address - t.text; len(frames) < deepest; {
		frame := Frame{File: f.fileAt(pc), Line: max(0, int(f.valueAt(f.lines, pc)))}
		call, inlined := f.inlinedAt(pc)
		if !inlined {
			frame.Function = t.name(f.name)
			return append(frames, frame)
		}
		frame.Function = t.name(call.name)
		frames = append(frames, frame)
		pc = f.entry + uint64(call.parent)
	}
	return nil
}

// Calls reports whether the instruction at the address from can lead into the function
// that holds the address to, on the same stack: a call, or a jump to a fixed place. A
// return does not, nor does a jump through a register, which is how the run time
// switches goroutines. A call through a register may lead anywhere.
func (t *Table) Calls(from, to uint64) bool {
	if from < t.text || from-t.text >= uint64(len(t.code)) {
		return false
	}
	found, ok := decode(t.machine, t.code[from-t.text:])
	if !ok || !found.fixed {
		return ok
	}
	target, ok := t.function(from + uint64(found.distance))
	callee, ok2 := t.function(to)
	return ok && ok2 && target.entry == callee.entry
}

// A function is an entry of the table; its addresses are relative to Table.text.
type function struct {
	table *Table
	entry uint64
	name  uint32
	// fileNumbers, lines and inlineIndexes are the tables, as offsets into
	// Table.values, of what changes with the address.
	fileNumbers, lines, inlineIndexes uint32
	unit                              uint32
	// tree is the offset of the inlined calls in Table.inlines.
	tree    uint32
	hasTree bool
}

// function finds the function that holds an address.
func (t *Table) function(address uint64) (function, bool) {
	if address < t.text || address-t.text >= uint64(len(t.code)) {
		return function{}, false
	}
	pc := address - t.text
	// Pairs of the entry and where its function stands, by the entry.
	n := sort.Search(t.nfunc, func(i int) bool {
		return uint64(t.order.Uint32(t.funcs[8*i:])) > pc
	})
	if n == 0 {
		return function{}, false
	}
	return t.parseFunction(t.order.Uint32(t.funcs[8*(n-1)+4:]))
}

// parseFunction reads runtime._func, with the pcdata and funcdata behind it.
func (t *Table) parseFunction(at uint32) (function, bool) {
	if uint64(at)+functionBytes > uint64(len(t.funcs)) {
		return function{}, false
	}
	data := t.funcs[at:]
	word := func(i int) uint32 { return t.order.Uint32(data[4*i:]) }
	f := function{
		table: t, entry: uint64(word(0)), name: word(1),
		fileNumbers: word(5), lines: word(6), unit: word(8),
	}
	pcdata, funcdata := uint64(word(7)), uint64(data[functionBytes-1])
	const firstWord = functionBytes / 4
	if 4*(firstWord+pcdata+funcdata) > uint64(len(data)) {
		return function{}, false
	}
	if pcdata > inlineIndex && funcdata > inlineTree {
		f.inlineIndexes = word(firstWord + inlineIndex)
		f.tree = word(firstWord + int(pcdata) + inlineTree)
		f.hasTree = f.tree != ^uint32(0)
	}
	return f, true
}

// An inlinedCall is a runtime.inlinedCall: what is called, and where the call would
// stand, relative to the function's entry.
type inlinedCall struct{ name, parent uint32 }

// inlinedAt returns the inlined call that an address belongs to, if it does.
func (f function) inlinedAt(pc uint64) (inlinedCall, bool) {
	if !f.hasTree {
		return inlinedCall{}, false
	}
	index := f.valueAt(f.inlineIndexes, pc)
	at := uint64(f.tree) + inlineBytes*uint64(uint32(index))
	if index < 0 || at+inlineBytes > uint64(len(f.table.inlines)) {
		return inlinedCall{}, false
	}
	order, data := f.table.order, f.table.inlines[at:]
	return inlinedCall{name: order.Uint32(data[4:]), parent: order.Uint32(data[8:])}, true
}

// valueAt looks an address up in a table of values: pairs of a step of the value and
// a step of the address up to which it holds (runtime.step). The value is -1 where
// the table does not say.
func (f function) valueAt(table uint32, pc uint64) int32 {
	if table == 0 || uint64(table) >= uint64(len(f.table.values)) {
		return -1
	}
	data := f.table.values[table:]
	value, at := int32(-1), f.entry
	for first := true; ; first = false {
		step, n := varint(data)
		if n == 0 || step == 0 && !first {
			return -1
		}
		data = data[n:]
		// Zigzag: the sign is the lowest bit.
		value += int32(step>>1) ^ -int32(step&1)
		step, n = varint(data)
		if n == 0 {
			return -1
		}
		data = data[n:]
		if at += uint64(step) * f.table.minLC; pc < at {
			return value
		}
	}
}

// varint reads a number of seven bits a byte, and returns how long it is; 0 for one
// that does not end.
func varint(data []byte) (value uint32, length int) {
	for i := 0; i < len(data) && i < 5; i++ {
		value |= uint32(data[i]&0x7f) << (7 * i)
		if data[i] < 0x80 {
			return value, i + 1
		}
	}
	return 0, 0
}

func (f function) fileAt(pc uint64) string {
	number := f.valueAt(f.fileNumbers, pc)
	at := 4 * (uint64(f.unit) + uint64(uint32(number)))
	if number < 0 || at+4 > uint64(len(f.table.units)) {
		return ""
	}
	return text(f.table.files, f.table.order.Uint32(f.table.units[at:]))
}

// name returns the name at an offset, type arguments left out as in a stack trace:
// those of a shape can be pages long.
func (t *Table) name(offset uint32) string {
	name := text(t.names, offset)
	if start, end := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']'); 0 <= start && start < end {
		return name[:start] + "[...]" + name[end+1:]
	}
	return name
}

// text returns the text at an offset, which a zero ends.
func text(data []byte, offset uint32) string {
	if uint64(offset) >= uint64(len(data)) {
		return ""
	}
	before, _, _ := bytes.Cut(data[offset:], []byte{0})
	return string(before)
}
