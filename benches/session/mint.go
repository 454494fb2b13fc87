package session

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
)

// Minter makes version 7 UUIDs, each greater than the one before. It is not
// safe for concurrent use.
type Minter struct {
	now     func() time.Time
	entropy io.Reader
	last    uint64 // 48 bits of Unix milliseconds, 12 bits of counter
}

// NewMinter mints from the given clock and source of random bytes. Programs pass
// time.Now and crypto/rand.Reader; uuid.NewV7 reads the clock by itself and so
// cannot be held still.
func NewMinter(now func() time.Time, entropy io.Reader) *Minter {
	return &Minter{now: now, entropy: entropy}
}

// Mint returns the next id, laid out as in RFC 9562 section 5.7. Within one
// millisecond, or when the clock steps back, rand_a counts upwards; when its
// 12 bits are full the timestamp runs ahead of the clock (section 6.2, method 1
// with its counter rollover). The counter starts from random bits, the topmost
// one clear to leave room for counting.
func (m *Minter) Mint() (uuid.UUID, error) {
	const counterBits = 12
	var id uuid.UUID
	if _, err := io.ReadFull(m.entropy, id[6:]); err != nil {
		return uuid.Nil, fmt.Errorf("mint id: entropy: %w", err)
	}
	seed := uint64(binary.BigEndian.Uint16(id[6:8])) & (1<<(counterBits-1) - 1)
	stamp := uint64(m.now().UnixMilli())<<counterBits | seed
	if stamp>>counterBits <= m.last>>counterBits {
		stamp = m.last + 1
	}
	m.last = stamp
	binary.BigEndian.PutUint64(id[:8], stamp>>counterBits<<16|7<<counterBits|stamp&(1<<counterBits-1))
	id[8] = id[8]&0x3f | 0x80 // the variant of RFC 9562
	return id, nil
}

// Millis returns the timestamp in a version 7 UUID, Unix time in milliseconds.
func Millis(id uuid.UUID) int64 {
	return int64(binary.BigEndian.Uint64(id[:8]) >> 16)
}
