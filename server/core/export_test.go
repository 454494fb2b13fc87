package core

// CachedBytes tells what the cache counts, and what its resources add up to.
func (s *Site) CachedBytes() (counted, sum int64) {
	s.cache.mu.RLock()
	defer s.cache.mu.RUnlock()
	for _, r := range s.cache.ring {
		sum += resourceBytes
		for c := range r.reps {
			if rep := r.reps[c].Load(); rep != nil {
				sum += rep.cost()
			}
		}
	}
	return s.cache.bytes, sum
}
