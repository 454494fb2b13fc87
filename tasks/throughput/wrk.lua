-- Prints the result on one line of JSON: the text above it rounds, and picks units.
-- wrk calls done once, after the run.
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '\nperfpin-json {"duration_us": %.0f, "requests": %.0f, "bytes": %.0f, ' ..
    '"errors": {"connect": %.0f, "read": %.0f, "write": %.0f, "status": %.0f, "timeout": %.0f}, ' ..
    '"latency_us": {"p50": %.0f, "p90": %.0f, "p99": %.0f, "p99.9": %.0f}}\n',
    summary.duration, summary.requests, summary.bytes,
    e.connect, e.read, e.write, e.status, e.timeout,
    latency:percentile(50), latency:percentile(90), latency:percentile(99), latency:percentile(99.9)))
end
