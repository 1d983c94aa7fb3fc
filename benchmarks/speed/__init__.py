"""Speed on this machine: throughput, roofline, latency, memory, import time. One thread."""
