package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// findBrowser returns the path of a browser of Chromium's kind. Without one the page is
// not tested, so the test fails.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("chromium: cannot be found on PATH, nor chromium-browser, google-chrome or chrome\nhint: apt-get install chromium")
	return ""
}

// A visit is the page in a browser, and all that it did there that it should not.
type visit struct {
	ctx     context.Context
	mutex   sync.Mutex
	console []string
	asked   []string
}

// patience is far above what the browser takes to start on a machine that is busy.
const patience = 3 * time.Minute

// openPage opens the report in a browser of its own, which ends with the test.
func openPage(t *testing.T, r Report) *visit {
	t.Helper()
	dir := t.TempDir()
	for name, write := range map[string]func(*bytes.Buffer) error{
		"index.html":  func(out *bytes.Buffer) error { return r.HTML(out) },
		"report.json": func(out *bytes.Buffer) error { return r.JSON(out) },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(findBrowser(t)), chromedp.UserDataDir(filepath.Join(dir, "profile")),
		// Where the tests run as root, or in a container, there is no sandbox to be had.
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(patience),
	)
	// The test's own context ends before its cleanups.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	ctx, _ = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		// It waits for the browser to end.
		if err := chromedp.Cancel(ctx); err != nil {
			t.Error(err)
		}
		stop()
		cancel()
	})
	v := &visit{ctx: ctx}
	if err := chromedp.Listen(ctx, v.watch); err != nil {
		t.Fatal(err)
	}
	call(t, v, network.Enable, network.EnableParams{})
	call(t, v, log.Enable, cdp.Empty{})
	address := (&url.URL{Scheme: "file", Path: filepath.Join(dir, "index.html")}).String()
	v.do(t, chromedp.Navigate(address), chromedp.WaitReady(chromedp.CSS("footer")))
	return v
}

func (v *visit) watch(event any) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		line := string(e.Type) + ":"
		for _, arg := range e.Args {
			line += fmt.Sprintf(" %s", arg.Value)
		}
		v.console = append(v.console, line)
	case *runtime.EventExceptionThrown:
		v.console = append(v.console, (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
	case *log.EventEntryAdded:
		v.console = append(v.console, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		v.asked = append(v.asked, e.Request.URL)
	}
}

func (v *visit) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(v.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// call sends a command of the browser's protocol.
func call[P, R any](t *testing.T, v *visit, command cdp.Command[P, R], params P) {
	t.Helper()
	if _, err := chromedp.Call(v.ctx, command, params); err != nil {
		t.Fatal(err)
	}
}

// eval returns the value of an expression in the page.
func eval[T any](t *testing.T, v *visit, expression string) T {
	t.Helper()
	value, err := chromedp.Run(v.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// quiet demands that the page has said nothing and asked for nothing but itself.
func (v *visit) quiet(t *testing.T) {
	t.Helper()
	v.mutex.Lock()
	defer v.mutex.Unlock()
	for _, line := range v.console {
		t.Errorf("console: %s", line)
	}
	if len(v.asked) == 0 {
		t.Error("no request was seen, not even that for the page")
	}
	for at, address := range v.asked {
		if at > 0 && !strings.HasPrefix(address, "data:") {
			t.Errorf("asked for %s", address)
		}
	}
}

// rows are the texts of a section's table as they are shown.
func (v *visit) rows(t *testing.T, section string) [][]string {
	t.Helper()
	return eval[[][]string](t, v, fmt.Sprintf(`[...document.querySelectorAll("#%s tbody tr")].map(row =>
		[...row.cells].map(cell => cell.querySelector("svg") ? cell.querySelector("title").textContent : cell.innerText.split("\n")[0]))`, section))
}

func TestBrowserShowsWhatTheJSONHas(t *testing.T) {
	r := sample(t, 20, 200)
	v := openPage(t, r)
	var out bytes.Buffer
	if err := r.JSON(&out); err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	decoder := json.NewDecoder(&out)
	decoder.UseNumber()
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	compareCounts(t, v.rows(t, "counts"), list(file, "counts", "data", "benches"))
	compareTiers(t, v.rows(t, "coverage"), list(file, "coverage", "data", "packages"))
	for section, want := range map[string][]string{
		"clock": {"12.3 ms", "11.0 ms", "20.5 ms", "7.00 ms", "2.00 ms", "31"}, "sizes": {"8.58 MiB", "5.82 MiB", "+1,000 B"},
	} {
		if got := v.rows(t, section)[0][1:]; !slices.Equal(got[:len(want)], want) {
			t.Errorf("%s: got %q, want %q", section, got, want)
		}
	}
	if got := v.rows(t, "throughput")[1]; got[2] != "2,300" || got[5] != "1.04" {
		t.Errorf("throughput: got %q, want 2,300 and 1.04", got)
	}
	v.quiet(t)
}

func list(file map[string]any, path ...string) []any {
	var at any = file
	for _, name := range path {
		at = at.(map[string]any)[name]
	}
	return at.([]any)
}

// compareCounts compares figures as text, so that no digit is lost.
func compareCounts(t *testing.T, rows [][]string, benches []any) {
	t.Helper()
	if len(rows) != len(benches) {
		t.Fatalf("got %d rows, want %d", len(rows), len(benches))
	}
	for i, row := range rows {
		b := benches[i].(map[string]any)
		pin := b["pin"].(map[string]any)
		for at, want := range []any{b["bench"], b["ir"], pin["ir"], nil, b["band"], b["allocs"], b["bytes"]} {
			if got := strings.ReplaceAll(row[at], ",", ""); want != nil && got != fmt.Sprint(want) {
				t.Errorf("row %d, column %d: got %q, want %v", i, at, got, want)
			}
		}
		if row[8] != b["verdict"] {
			t.Errorf("row %d: got %q, want %v", i, row[8], b["verdict"])
		}
		if len(b["history"].([]any)) != 200 || !strings.Contains(row[7], "57 runs, 3 pins") {
			t.Errorf("row %d: got the chart %q", i, row[7])
		}
	}
}

func compareTiers(t *testing.T, rows [][]string, packages []any) {
	t.Helper()
	for i, row := range rows {
		p := packages[i].(map[string]any)
		number := func(name string) int {
			n, err := p[name].(json.Number).Int64()
			if err != nil {
				t.Fatal(err)
			}
			return int(n)
		}
		whole, unit, end, both := number("statements"), number("unit"), number("end_to_end"), number("both")
		percent := func(part int) string { return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole)) }
		want := []string{p["package"].(string), fmt.Sprint(whole), percent(unit), percent(end), percent(unit + end - both), fmt.Sprint(end - both)}
		for at := range want {
			if got := strings.ReplaceAll(row[at], ",", ""); got != want[at] {
				t.Errorf("row %d: got %q, want %q", i, row[:6], want)
			}
		}
	}
}

// A click on a head sorts, and says so to who cannot see it; a second one turns it round.
func TestBrowserSorts(t *testing.T) {
	v := openPage(t, sample(t, 20, 2))
	for _, want := range []string{"descending", "ascending"} {
		v.do(t, chromedp.Click(chromedp.CSS(`#counts thead th:nth-child(2) button`)))
		if got := eval[string](t, v, `document.querySelector("#counts thead th:nth-child(2)").getAttribute("aria-sort")`); got != want {
			t.Errorf("aria-sort: got %q, want %q", got, want)
		}
		figures := eval[[]float64](t, v, `[...document.querySelectorAll("#counts tbody tr")].map(r => Number(r.cells[1].textContent.replaceAll(",", "")))`)
		if want == "descending" {
			slices.Reverse(figures)
		}
		if len(figures) != 20 || !slices.IsSorted(figures) {
			t.Errorf("%s: got %v", want, figures)
		}
	}
	// The worst verdict comes first, not the first by its letters.
	v.do(t, chromedp.Click(chromedp.CSS(`#counts thead th:nth-child(9) button`)))
	if got := v.rows(t, "counts")[0][8]; got != "regressed" {
		t.Errorf("sorted by verdict: got %q first, want regressed", got)
	}
	v.do(t, chromedp.SendKeys(chromedp.CSS(`#counts input`), "CASE_1"))
	if got := eval[int](t, v, `[...document.querySelectorAll("#counts tbody tr")].filter(r => r.checkVisibility()).length`); got != 11 {
		t.Errorf("search: got %d rows, want 11", got)
	}
	v.quiet(t)
}

func TestBrowserOpensFlameGraphs(t *testing.T) {
	r := sample(t, 4, 2)
	v := openPage(t, r)
	v.do(t,
		chromedp.Click(chromedp.CSS(`#counts tbody tr:nth-child(4) a.flame`)),
		chromedp.WaitVisible(chromedp.CSS(`#flame[open] svg`)),
	)
	got := eval[int](t, v, `document.querySelectorAll("#flame-graph g title").length`)
	if want := bytes.Count(r.Counts.Data.Benches[3].FlameSVG, []byte("<title>")); got != want {
		t.Errorf("got %d boxes, want %d", got, want)
	}
	if title := eval[string](t, v, `document.getElementById("flame-title").textContent`); !strings.HasPrefix(title, r.Counts.Data.Benches[3].Bench.Bench+": ") {
		t.Errorf("got title %q", title)
	}
	v.quiet(t)
}

// On a phone nothing but the tables' own frames scrolls sideways, and the page is dark
// where the reader's system is.
func TestBrowserFitsTheReader(t *testing.T) {
	v := openPage(t, sample(t, 20, 20))
	background := `getComputedStyle(document.body).backgroundColor`
	light := eval[string](t, v, background)
	v.do(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2), chromedp.EmulateMobile))
	call(t, v, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	})
	if got := eval[int](t, v, `document.documentElement.scrollWidth`); got != 390 {
		t.Errorf("the page is %d pixels wide, want 390", got)
	}
	if dark := eval[string](t, v, background); dark == light {
		t.Errorf("the page is %s, light or dark", light)
	}
	v.quiet(t)
}

// Each chart has a role and says the same in words.
func TestBrowserChartsHaveWords(t *testing.T) {
	v := openPage(t, sample(t, 6, 20))
	charts := eval[int](t, v, `document.querySelectorAll("main svg").length`)
	named := eval[int](t, v, `[...document.querySelectorAll("main svg[role=img]")].filter(s => s.querySelector("title")?.textContent.trim()).length`)
	if charts == 0 || charts != named {
		t.Errorf("%d of %d charts have words", named, charts)
	}
	v.quiet(t)
}
