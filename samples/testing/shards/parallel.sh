#!/bin/sh
# All seeds of test programs, in as many shards as there are jobs, by GNU parallel; one report of them all.
#   SHARDS=8 sh parallel.sh ./my_test ./my_other_test
# With `--sshloginfile machines` behind `parallel` the jobs run on the machines of that file.
set -u
shards=${SHARDS:-4}
heddle=${HEDDLE:-heddle}
reports=$(mktemp -d)
parallel --will-cite "$heddle" test --shard "{}/$shards" --format json --output "$reports/{}.json" "$@" ::: \
  $(seq "$shards")
"$heddle" test --merge "$reports"/*.json
