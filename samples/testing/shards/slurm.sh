#!/bin/sh
# A Slurm array: each task tries its part of the seeds, and leaves a report.
#   sbatch --array=1-64 slurm.sh ./my_test
#   heddle test --merge reports/*.json        (when all tasks have ended)
#SBATCH --job-name=kernel-tests
#SBATCH --time=00:30:00
set -u
heddle=${HEDDLE:-heddle}
reports=${REPORTS:-reports}
mkdir -p "$reports"
"$heddle" test --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --seconds 1500 --format json \
  --output "$reports/$SLURM_ARRAY_TASK_ID.json" "$@"
