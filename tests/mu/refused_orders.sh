#!/bin/sh
# refused_orders.sh COMPILER [OPTIONS...]: the compiler must refuse refused_orders.cpp with every row of the table.
if out=$("$@" -fsyntax-only "$(dirname "$0")/refused_orders.cpp" 2>&1); then
  echo 'the compiler accepts orders that are not allowed' >&2
  exit 1
fi
while read -r row; do
  case $out in
    *"$row"*) ;;
    *) printf 'no message has: %s\n%s\n' "$row" "$out" >&2; exit 1 ;;
  esac
done <<END
a load must not have this order; allowed: NOT_ATOMIC, RELAXED, CONSUME, ACQUIRE, SEQ_CST
a store must not have this order; allowed: NOT_ATOMIC, RELAXED, RELEASE, SEQ_CST
a read-modify-write must not have this order; allowed: RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST
a compare-exchange that succeeds must not have this order; allowed: RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST
a compare-exchange that fails must not have this order; allowed: RELAXED, ACQUIRE, SEQ_CST
a fence must not have this order; allowed: ACQUIRE, RELEASE, ACQ_REL, SEQ_CST
END
