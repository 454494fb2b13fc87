package field

import "time"

// DateLayout is the form that HTTP dates are written in (RFC 9110 §5.6.7).
const DateLayout = "Mon, 02 Jan 2006 15:04:05 GMT"

// obsolete forms that a recipient has to read as well (RFC 9110 §5.6.7).
const (
	rfc850  = "Monday, 02-Jan-06 15:04:05 GMT"
	asctime = "Mon Jan _2 15:04:05 2006"
)

// ParseDate reads an HTTP date, in seconds since 1970. It is false for
// anything else, and for a year of three digits or fewer.
func ParseDate(value string) (int64, bool) {
	for _, layout := range [...]string{DateLayout, rfc850, asctime} {
		if t, err := time.Parse(layout, value); err == nil {
			return t.Unix(), true
		}
	}
	return 0, false
}
