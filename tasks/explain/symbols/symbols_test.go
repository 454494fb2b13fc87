package symbols

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// build compiles the program of testdata/frames as measured programs are: without
// DWARF tables. It returns its path and its table.
func build(t testing.TB) (string, *Table) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "frames")
	cmd := exec.Command("go", "build", "-ldflags=-w -checklinkname=0", "-o", program, "./testdata/frames")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	table, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return program, table
}

// TestFramesAgreeWithRunTime compares with what the run time itself says, address by
// address.
func TestFramesAgreeWithRunTime(t *testing.T) {
	program, table := build(t)
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	addresses, inlined := 0, 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		address, err := strconv.ParseUint(fields[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		var want []Frame
		for at := fields[1:]; len(at) > 0; at = at[3:] {
			number, err := strconv.Atoi(at[2])
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, Frame{at[0], strings.TrimPrefix(at[1], "?"), number})
		}
		if got := table.Frames(address); !slices.Equal(got, want) {
			t.Fatalf("%#x:\ngot  %v\nwant %v", address, got, want)
		}
		addresses++
		if len(want) > 2 {
			inlined++
		}
	}
	if addresses < 1000 || inlined == 0 {
		t.Errorf("%d addresses, %d of them in code that is inlined twice", addresses, inlined)
	}
}

func TestFramesOutside(t *testing.T) {
	_, table := build(t)
	for _, address := range []uint64{0, table.text - 1, table.text + uint64(len(table.code)), 1<<64 - 1} {
		if got := table.Frames(address); got != nil {
			t.Errorf("%#x: got %v, want none", address, got)
		}
		if table.Calls(address, table.text) || table.Calls(table.text, address) {
			t.Errorf("%#x: calls or is called", address)
		}
	}
}

func TestDecode(t *testing.T) {
	tests := []struct {
		name    string
		machine elf.Machine
		code    []byte
		want    string
	}{
		{"call rel32", elf.EM_X86_64, []byte{0xe8, 1, 0, 0, 0}, "to 6"},
		{"call back", elf.EM_X86_64, []byte{0xe8, 0xfb, 0xff, 0xff, 0xff}, "to 0"},
		{"call rax", elf.EM_X86_64, []byte{0xff, 0xd0}, "anywhere"},
		{"call r12", elf.EM_X86_64, []byte{0x41, 0xff, 0xd4}, "anywhere"},
		{"call [rdx]", elf.EM_X86_64, []byte{0xff, 0x12}, "anywhere"},
		{"call [rax+24]", elf.EM_X86_64, []byte{0xff, 0x50, 0x18}, "anywhere"},
		{"jmp rbx", elf.EM_X86_64, []byte{0xff, 0xe3}, "none"},
		{"jmp rel32", elf.EM_X86_64, []byte{0xe9, 0, 1, 0, 0}, "to 261"},
		{"jmp rel8", elf.EM_X86_64, []byte{0xeb, 0xfe}, "to 0"},
		{"ret", elf.EM_X86_64, []byte{0xc3}, "none"},
		{"push [rax]", elf.EM_X86_64, []byte{0xff, 0x30}, "none"},
		{"cut", elf.EM_X86_64, []byte{0xff}, "none"},
		{"cut", elf.EM_X86_64, []byte{0xe8, 0, 0}, "none"},
		{"cut", elf.EM_X86_64, []byte{0xeb}, "none"},
		{"nothing", elf.EM_X86_64, nil, "none"},
		{"bl", elf.EM_AARCH64, []byte{0x01, 0, 0, 0x94}, "to 4"},
		{"b", elf.EM_AARCH64, []byte{0xff, 0xff, 0xff, 0x17}, "to -4"},
		{"b.eq", elf.EM_AARCH64, []byte{0x40, 0, 0, 0x54}, "none"},
		{"blr x27", elf.EM_AARCH64, []byte{0x60, 0x03, 0x3f, 0xd6}, "anywhere"},
		{"br x27", elf.EM_AARCH64, []byte{0x60, 0x03, 0x1f, 0xd6}, "none"},
		{"ret", elf.EM_AARCH64, []byte{0xc0, 0x03, 0x5f, 0xd6}, "none"},
		{"cut", elf.EM_AARCH64, []byte{0, 0}, "none"},
	}
	for _, test := range tests {
		got := "none"
		if found, ok := decode(test.machine, test.code); ok && found.fixed {
			got = fmt.Sprintf("to %d", found.distance)
		} else if ok {
			got = "anywhere"
		}
		if got != test.want {
			t.Errorf("%v: %s: got %v, want %v", test.machine, test.name, got, test.want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	if _, err := Read(bytes.NewReader([]byte("#!/bin/sh\n"))); err == nil {
		t.Error("a script was read")
	}
	shell, err := os.Open("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	defer shell.Close()
	if _, err := Read(shell); !errors.Is(err, ErrNotGo) {
		t.Errorf("/bin/sh: got %v, want %v", err, ErrNotGo)
	}
}

// FuzzFrames damages the tables at one place: whatever they then say, nothing is
// read outside of them, and every answer ends.
func FuzzFrames(f *testing.F) {
	_, whole := build(f)
	f.Add(uint8(0), uint32(0), byte(0xff), uint32(0))
	f.Add(uint8(1), uint32(1234), byte(0x80), uint32(4000))
	f.Fuzz(func(t *testing.T, part uint8, at uint32, value byte, address uint32) {
		table := *whole
		parts := []*[]byte{&table.names, &table.units, &table.files, &table.values, &table.funcs, &table.inlines}
		damaged := parts[int(part)%len(parts)]
		if len(*damaged) == 0 {
			return
		}
		// A copy of the part up to the damage, and nothing behind it.
		end := int(at)%min(len(*damaged), 1<<16) + 1
		*damaged = append([]byte(nil), (*damaged)[:end]...)
		(*damaged)[end-1] = value
		table.nfunc = min(table.nfunc, len(table.funcs)/8)
		if frames := table.Frames(table.text + uint64(address)%uint64(len(table.code))); len(frames) > deepest {
			t.Errorf("%d frames", len(frames))
		}
	})
}
