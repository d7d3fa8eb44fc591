#!/bin/sh
# Written by `contextpack init --hook`. Adds the lines of CONTEXTPACK_TRAILER, which `contextpack render --trailer` printed
# before the work began, to the message of each commit. Without the variable it does nothing.
printf '%s\n' "${CONTEXTPACK_TRAILER-}" | while IFS= read -r line; do
  case $line in
    "Context-Pack: "*) git interpret-trailers --in-place --if-exists addIfDifferent --trailer "$line" "$1" ;;
  esac
done
