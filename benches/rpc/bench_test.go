package rpc_test

import (
	"context"
	"testing"
)

func BenchmarkHandleLine(b *testing.B) {
	b.Run("ping", func(b *testing.B) {
		server := newServer(b)
		ctx := context.Background()
		line := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		b.SetBytes(int64(len(line)))
		b.ReportAllocs()
		for b.Loop() {
			if answer := server.HandleLine(ctx, line); answer == nil {
				b.Fatal("no answer")
			}
		}
	})
}
