// Package symbols tells which function, file and line an address of a Go program
// belongs to, code that is inlined included. It needs no debug information: it reads
// the tables that the run time makes its stack traces from, which are in every Go
// program (runtime/symtab.go and symtabinl.go; the layout is that of Go 1.20 to
// 1.27).
package symbols

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A Frame is a function that an address belongs to, and the position in it.
type Frame struct {
	// Function is as in a stack trace: "example.com/p.(*T).Map[...]".
	Function string
	// File and Line are "" and 0 where there is no source, as between functions.
	File string
	Line int
}

// A Table holds the functions of one program.
type Table struct {
	machine elf.Machine
	order   binary.ByteOrder
	// text is the address that the table's offsets start from, and code what stands
	// there.
	text uint64
	code []byte

	minLC   uint64 // the least length of an instruction
	nfunc   int
	names   []byte
	units   []byte // compilation units: the files of each
	files   []byte
	values  []byte // tables of what changes with the address
	funcs   []byte
	inlines []byte // trees of inlined calls
}

// ErrNotGo tells that a program has no Go functions.
var ErrNotGo = errors.New("has no table of Go functions")

// Read reads the table of a program in the ELF format. ErrNotGo tells that there is
// none; what a table of an unknown layout says is an error.
func Read(r io.ReaderAt) (*Table, error) {
	file, err := elf.NewFile(r)
	if err != nil {
		return nil, err
	}
	section := file.Section(".gopclntab")
	if section == nil {
		return nil, ErrNotGo
	}
	addresses, err := find(file, "runtime.text", "runtime.etext", "go:func.*")
	if err != nil {
		return nil, err
	}
	lines, err := section.Data()
	if err != nil {
		return nil, fmt.Errorf(".gopclntab: %w", err)
	}
	t := &Table{machine: file.Machine, order: file.ByteOrder, text: addresses[0]}
	if addresses[1] < addresses[0] {
		return nil, fmt.Errorf("runtime.etext: is %#x, want at least %#x", addresses[1], addresses[0])
	}
	if t.code, err = read(file, addresses[0], addresses[1]-addresses[0]); err != nil {
		return nil, fmt.Errorf("runtime.text: %w", err)
	}
	if t.inlines, err = read(file, addresses[2], 1<<62); err != nil {
		return nil, fmt.Errorf("go:func.*: %w", err)
	}
	return t, t.parseHeader(lines)
}

// find returns the addresses of symbols.
func find(file *elf.File, names ...string) ([]uint64, error) {
	all, err := file.Symbols()
	if err != nil {
		return nil, fmt.Errorf("symbol table: %w", err)
	}
	known := make(map[string]uint64)
	for _, symbol := range all {
		known[symbol.Name] = symbol.Value
	}
	addresses := make([]uint64, len(names))
	for i, name := range names {
		address, ok := known[name]
		if !ok {
			return nil, fmt.Errorf("symbol table: no %s", name)
		}
		addresses[i] = address
	}
	return addresses, nil
}

// read returns what the program has at an address, at most size bytes.
func read(file *elf.File, address, size uint64) ([]byte, error) {
	for _, s := range file.Sections {
		if s.Type != elf.SHT_PROGBITS || address < s.Addr || address-s.Addr >= s.Size {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, err
		}
		offset := address - s.Addr
		if offset > uint64(len(data)) {
			break
		}
		data = data[offset:]
		return data[:min(size, uint64(len(data)))], nil
	}
	return nil, fmt.Errorf("nothing is at %#x", address)
}

// parseHeader reads runtime.pcHeader.
func (t *Table) parseHeader(lines []byte) error {
	const (
		magic     = 0xfffffff1 // abi.Go120PCLnTabMagic
		pointer   = 8
		wantWords = 8
	)
	if len(lines) < 8+wantWords*pointer {
		return errors.New(".gopclntab: truncated")
	}
	if got := t.order.Uint32(lines); got != magic {
		return fmt.Errorf(".gopclntab: starts with %#x, want %#x: a version of Go that is not known", got, magic)
	}
	t.minLC = uint64(lines[6])
	if lines[7] != pointer || t.minLC == 0 {
		return fmt.Errorf(".gopclntab: pointers of %d bytes and instructions of %d", lines[7], lines[6])
	}
	var words [wantWords]uint64
	for i := range words {
		words[i] = t.order.Uint64(lines[8+i*pointer:])
	}
	parts := []*[]byte{&t.names, &t.units, &t.files, &t.values, &t.funcs}
	for i, part := range parts {
		start := words[3+i]
		if start > uint64(len(lines)) {
			return fmt.Errorf(".gopclntab: part %d starts at %d of %d bytes", i, start, len(lines))
		}
		*part = lines[start:]
	}
	if words[0] > uint64(len(t.funcs))/8 {
		return fmt.Errorf(".gopclntab: %d functions in %d bytes", words[0], len(t.funcs))
	}
	t.nfunc = int(words[0])
	return nil
}
