package valgrind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/filelock"
	"github.com/perfpin/perfpin/tasks/tool"
)

// minFree is the free disk space, in bytes, that a build is begun with. The
// archive, its source and the objects of 3.27.1 take 250 MB.
const minFree = 400e6

// workPattern names the folders that builds happen in, for os.MkdirTemp. They
// stand beside the installed tree, for a rename works within one file system only.
const workPattern = ".valgrind-build-*"

func (b bootstrap) log() string { return filepath.Join(b.dir, "valgrind-build.log") }

// build builds and installs valgrind, unless another process did so while this
// one waited for the lock.
func (b bootstrap) build(ctx context.Context) (Valgrind, error) {
	if err := os.MkdirAll(b.dir, 0o777); err != nil {
		return Valgrind{}, err
	}
	unlock, err := filelock.Take(ctx, filepath.Join(b.dir, ".valgrind.lock"), func() {
		b.report(Progress{Step: "wait for another build of valgrind"})
	})
	if err != nil {
		return Valgrind{}, err
	}
	defer unlock()
	if v, found := b.installed(); found {
		return v, nil
	}
	if err := b.clear(); err != nil {
		return Valgrind{}, err
	}
	if err := b.prerequisites(); err != nil {
		return Valgrind{}, err
	}
	work, err := os.MkdirTemp(b.dir, workPattern)
	if err != nil {
		return Valgrind{}, err
	}
	err = b.buildIn(ctx, work)
	if err := errors.Join(err, os.RemoveAll(work)); err != nil {
		return Valgrind{}, err
	}
	v, found := b.installed()
	if !found {
		return Valgrind{}, fmt.Errorf("%s: was installed and is gone", b.final())
	}
	return v, nil
}

// clear removes what interrupted builds have left, and the last build's log.
func (b bootstrap) clear() error {
	leftovers, err := fs.Glob(os.DirFS(b.dir), workPattern)
	if err != nil {
		return err
	}
	errs := []error{os.RemoveAll(b.log())}
	for _, name := range leftovers {
		errs = append(errs, os.RemoveAll(filepath.Join(b.dir, name)))
	}
	return errors.Join(errs...)
}

// prerequisites reports everything that is missing for a build, and the one
// command that installs it on Debian.
func (b bootstrap) prerequisites() error {
	var errs []error
	var packages []string
	for _, need := range []struct{ program, packages string }{
		{"gcc", "gcc libc6-dev"},
		{"make", "make"},
		{"perl", "perl"}, // links the tool: coregrind/link_tool_exe_linux
	} {
		if _, err := tool.Find(need.program, ""); err != nil {
			errs = append(errs, err)
			packages = append(packages, need.packages)
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("%w\nhint: apt-get install %s", errors.Join(errs...), strings.Join(packages, " "))
	}
	var disk unix.Statfs_t
	if err := unix.Statfs(b.dir, &disk); err != nil {
		return os.NewSyscallError("statfs", err)
	}
	if free := float64(disk.Bavail) * float64(disk.Bsize); free < b.minFree {
		return fmt.Errorf("%s: disk space: %.0f MB are free, want %.0f MB", b.dir, free/1e6, b.minFree/1e6)
	}
	return nil
}

// buildIn builds in the folder work and installs the result.
func (b bootstrap) buildIn(ctx context.Context, work string) error {
	archive, r, err := b.fetch(ctx, work)
	if err != nil {
		return err
	}
	b.report(Progress{Step: "unpack valgrind " + r.version})
	unpacked := filepath.Join(work, "source")
	if err := os.Mkdir(unpacked, 0o777); err != nil {
		return err
	}
	if err := unpack(ctx, archive, unpacked); err != nil {
		return err
	}
	source := filepath.Join(unpacked, "valgrind-"+r.version)
	if err := applyEdits(source, r); err != nil {
		return err
	}
	b.report(Progress{Step: "configure valgrind " + r.version})
	if err := b.configure(ctx, source); err != nil {
		return err
	}
	if err := b.compile(ctx, source, r); err != nil {
		return err
	}
	b.report(Progress{Step: "install valgrind " + r.version})
	staged := filepath.Join(work, "valgrind")
	if err := stage(source, staged, r); err != nil {
		return err
	}
	if err := b.try(ctx, staged, work); err != nil {
		return err
	}
	return install(staged, b.final())
}

// configureFlags are the arguments of configure.
func configureFlags() []string {
	return []string{
		// No twin of every part for 32-bit programs.
		"--enable-only64bit",
		// Debug information of valgrind itself would make up most of the result.
		"CFLAGS=-g0",
		// Nothing is looked for in a prefix: Valgrind.Env says where the parts are.
		"--prefix=/nonexistent",
	}
}

func (b bootstrap) configure(ctx context.Context, source string) error {
	err := tool.Command{
		Path: "/bin/sh",
		Args: append([]string{"./configure"}, configureFlags()...),
		Dir:  source,
		Env:  cleanenv.Tool(b.environ),
		Log:  b.log(),
	}.Run(ctx)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w\nhint: apt-get install gcc libc6-dev make perl", err)
	}
	return err
}

// compile makes the parts that callgrind consists of; the default target of the
// whole tree would make all the other tools.
func (b bootstrap) compile(ctx context.Context, source string, r release) error {
	for _, part := range []struct {
		dir     string
		targets []string
	}{
		{".", []string{"include/vgversion.h"}},
		{"VEX", []string{"libvex-" + platform() + ".a"}},
		{"coregrind", []string{
			"valgrind",
			"vgpreload_core-" + platform() + ".so",
			"libcoregrind-" + platform() + ".a",
			"libgcc-sup-" + platform() + ".a",
		}},
		{"callgrind", []string{"callgrind-" + platform()}},
	} {
		step := "compile valgrind " + r.version
		if part.dir != "." {
			step += ", " + part.dir
		}
		if err := b.make(ctx, filepath.Join(source, part.dir), part.targets, Progress{Step: step, Unit: "files"}); err != nil {
			return err
		}
	}
	return nil
}

// make makes targets, and counts the files that are compiled on the way.
func (b bootstrap) make(ctx context.Context, dir string, targets []string, now Progress) error {
	path, err := tool.Find("make", "")
	if err != nil {
		return err
	}
	compiles := func(line string) bool { return strings.Contains(line, " -c -o ") }
	dry := tool.Command{
		Path: path,
		Args: append([]string{"-n"}, targets...),
		Dir:  dir,
		Env:  cleanenv.Tool(b.environ),
		Line: func(line string) {
			if compiles(line) {
				now.Total++
			}
		},
	}
	if err := dry.Run(ctx); err != nil {
		return err
	}
	b.report(now)
	return tool.Command{
		Path: path,
		Args: append([]string{"-j" + strconv.Itoa(runtime.NumCPU())}, targets...),
		Dir:  dir,
		Env:  cleanenv.Tool(b.environ),
		Log:  b.log(),
		Line: func(line string) {
			if compiles(line) {
				now.Done++
				b.report(now)
			}
		},
	}.Run(ctx)
}

// platform is valgrind's name for what is measured.
func platform() string { return runtime.GOARCH + "-linux" }
