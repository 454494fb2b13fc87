package explain

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"io"
	"reflect"
	"strings"
	"testing"
)

func example() Profile {
	deep := at(40, "inner:3", "outer:8")
	deep.Stack = append(deep.Stack, at(0, "caller:1").Stack[0], Location{{Function: Unknown}})
	return Profile{Bench: "p.Encode/a<b>&\"c\"", Iters: 200, Costs: []Cost{deep, at(2, "outer:9"), at(1<<62, "big:1")}}
}

func TestPprofKeepsAll(t *testing.T) {
	var out bytes.Buffer
	if err := example().WritePprof(&out); err != nil {
		t.Fatal(err)
	}
	got, err := ReadPprof("x", out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if want := example(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestReadPprofRefuses(t *testing.T) {
	other := example()
	other.Iters = 0
	var out bytes.Buffer
	if err := other.WritePprof(&out); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"empty": nil, "no profile": []byte("# callgrind format\n"), "no iterations": out.Bytes()} {
		if _, err := ReadPprof("x.pb.gz", data); err == nil || !strings.HasPrefix(err.Error(), "x.pb.gz: ") {
			t.Errorf("%s: got %v, want an error that names the file", name, err)
		}
	}
}

// FuzzReadPprof checks that what is read can be written and read again as it is.
func FuzzReadPprof(f *testing.F) {
	var out bytes.Buffer
	if err := example().WritePprof(&out); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	raw, err := gunzip(out.Bytes())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ReadPprof("x", data)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := p.WritePprof(&out); err != nil {
			t.Fatal(err)
		}
		again, err := ReadPprof("x", out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p, again) {
			t.Errorf("got  %v\nwant %v", again, p)
		}
	})
}

// TestFlame checks that a graph is well formed, and that what it says adds up.
func TestFlame(t *testing.T) {
	p := Profile{Bench: "p.Encode/a<b>", Iters: 2, Costs: []Cost{at(30, "f:1", "g:1"), at(10, "g:2"), at(60, "h<[...]>:1")}}
	var out bytes.Buffer
	if err := WriteFlame(&out, p); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"p.Encode/a<b>: 100 instructions, 100.00 %", "g: 40 instructions, 40.00 %",
		"f: 30 instructions, 30.00 %", "h<[...]>: 60 instructions, 60.00 %",
	}
	if got := titles(t, out.Bytes()); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}

	head := Profile{Bench: "p.Encode", Iters: 2, Costs: []Cost{at(45, "f:1", "g:1"), at(10, "g:2"), at(5, "new:1")}}
	out.Reset()
	if err := WriteFlameDiff(&out, p, head); err != nil {
		t.Fatal(err)
	}
	want = []string{
		"p.Encode: -40 instructions, from 100 to 60", "g: +15 instructions, from 40 to 55",
		"f: +15 instructions, from 30 to 45", "h<[...]>: -60 instructions, from 60 to 0",
		"new: +5 instructions, from 0 to 5",
	}
	if got := titles(t, out.Bytes()); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	out.Reset()
	if err := WriteFlame(&out, Profile{Bench: "empty"}); err != nil || len(titles(t, out.Bytes())) != 0 {
		t.Errorf("an empty profile: %v, %s", err, out.Bytes())
	}
}

// titles returns what the boxes of a graph say, the caller before what it calls.
func titles(t *testing.T, svg []byte) (all []string) {
	t.Helper()
	for decoder := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := decoder.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "title" {
			var text string
			if err := decoder.DecodeElement(&text, &start); err != nil {
				t.Fatal(err)
			}
			all = append(all, text)
		}
	}
}

func gunzip(data []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}
