#!/usr/bin/env bash
# Runs the parts of this bundle, the most valuable first, each with a limit of its own.
#
#   run.sh OUT [--quick|--long] [--platform NAME] [--parts "llama:200 platform"]
#
# A part is a name, or a name with its limit in seconds. The folder OUT receives `results.jsonl` and
# `log`, both as the parts go, and `table.md` at the end; what it had is kept. The status is 0 if
# every part ran to its end, else 1.
set -u
export LC_ALL=C PYTHONUNBUFFERED=1
# A peer runs next to a part that holds most of the memory.
export XLA_PYTHON_CLIENT_PREALLOCATE="${XLA_PYTHON_CLIENT_PREALLOCATE:-false}"
ulimit -c 0

usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

here=$(cd "$(dirname "$0")" && pwd) || exit 2
out= platform=cuda size= parts=
while [ $# -gt 0 ]; do
    case $1 in
        --quick | --long) size=$1 ;;
        --platform) [ $# -ge 2 ] || usage && platform=$2 && shift ;;
        --parts) [ $# -ge 2 ] || usage && parts=$2 && shift ;;
        -*) usage ;;
        *) [ -z "$out" ] || usage && out=$1 ;;
    esac
    shift
done
[ -n "$out" ] || usage
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 2
log=$out/log results=$out/results.jsonl
: >>"$log" && : >>"$results" || exit 2

# Writes a line to the log and to the terminal.
say() {
    printf '%s\n' "$*" | tee -a "$log"
}

# The limit of a part in seconds.
limit_of() {
    case $1$size in
        llama--long) echo 360 ;;
        train*) echo 120 ;;
        story*) echo 60 ;;
        llama*) echo 150 ;;
        ops*) echo 60 ;;
        platform*) echo 40 ;;
        saved* | callbacks*) echo 30 ;;
        *) echo 20 ;;
    esac
}

# Prints the folder of the Python, the CUDA plugin that it has, whether it has JAX, and the versions
# of its packages.
describe_python() {
    timeout -k 5 20 "$python" - <<'END'
import importlib.util, os, sys
from importlib import metadata

print(sys.prefix)
spec = importlib.util.find_spec("jax_plugins")
files = [
    os.path.join(folder, name, "xla_cuda_plugin.so")
    for folder in (spec.submodule_search_locations if spec else [])
    for name in ("xla_cuda13", "xla_cuda12")
]
print(next((file for file in files if os.path.exists(file)), ""))
print("jax" if importlib.util.find_spec("jax") else "")
names = ["jax", "jaxlib", "torch", "numpy", "optax", "transformers"]
for package in metadata.distributions():
    name = (package.metadata["Name"] or "").lower()
    if name in names or name.startswith(("jax-cuda", "nvidia-cu", "nvidia-nccl")):
        print("  ", name, package.version)
END
}

# Looks at the Python and its packages; one without JAX runs no peers.
look_at_python() {
    python=$(command -v "${HLOOM_PYTHON:-python3}")
    say "python: ${python:-none}"
    [ -n "$python" ] || return
    local lines
    lines=$(describe_python 2>>"$log")
    python_prefix=$(sed -n 1p <<<"$lines") python_plugin=$(sed -n 2p <<<"$lines")
    if [ -z "$(sed -n 3p <<<"$lines")" ]; then
        say "python: without JAX, so that nothing is compared with it"
        python=
    fi
    sed 1,3d <<<"$lines" >>"$log"
}

# Finds the plugin where Hloom looks for it too: in the packages of the Python.
find_plugin() {
    case $platform in
        cuda* | gpu | nvidia) ;;
        *) return ;;
    esac
    local plugin=$python_plugin
    if [ -n "${HLOOM_PLUGIN_CUDA:-}" ]; then
        plugin=$HLOOM_PLUGIN_CUDA
    elif [ -n "$plugin" ]; then
        site=$(dirname "$(dirname "$(dirname "$plugin")")")
        case $site in
            "$python_prefix"/lib*/python3*/*-packages) export VIRTUAL_ENV=$python_prefix ;;
            *) export PYTHONPATH=$site${PYTHONPATH:+:$PYTHONPATH} ;;
        esac
    fi
    if [ -z "$plugin" ]; then
        say "plugin: none in the packages of a Python"
        return
    fi
    say "plugin: $plugin"
    local expected= found
    [ -e "$here/plugin.sha256" ] && read -r expected _ <"$here/plugin.sha256"
    found=$(sha256sum "$plugin" | cut -d ' ' -f 1)
    if [ -z "$expected" ]; then
        say "plugin: sha256 $found; the bundle has no programs compiled ahead of time"
    elif [ "$found" = "$expected" ]; then
        say "plugin: the one that compiled the bundle's programs"
    else
        say "plugin: sha256 $found, but $expected compiled the bundle's programs"
    fi
}

# Puts the folder of nvcc and ptxas on the path, and names it to XLA where XLA does not look.
find_cuda() {
    local folder
    for folder in "$(dirname "$(command -v nvcc || echo /none/nvcc)")" /usr/local/cuda/bin \
        /usr/local/cuda-*/bin /opt/cuda/bin ${site:+"$site/nvidia/cu13/bin"}; do
        [ -x "$folder/nvcc" ] || continue
        export PATH=$folder:$PATH
        say "nvcc: $folder/nvcc, $("$folder/nvcc" --version | sed -n 's/.*release //p')"
        if [ ! -x "${site:-/none}/nvidia/cu13/bin/ptxas" ] && [ ! -x /usr/local/cuda/bin/ptxas ]; then
            export XLA_FLAGS="${XLA_FLAGS:-} --xla_gpu_cuda_data_dir=$(dirname "$folder")"
        fi
        compile_kernels
        return
    done
    say "nvcc: none"
}

# Compiles the kernels with the machine's own nvcc, for its own card.
compile_kernels() {
    local capability source cubin
    capability=$(timeout -k 5 20 nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>>"$log")
    capability=$(head -n 1 <<<"$capability" | tr -d '. ')
    for source in "$here"/kernels/*.cu; do
        [ -e "$source" ] && [ -n "$capability" ] || continue
        cubin=$out/$(basename "$source" .cu).cubin
        timeout -k 5 30 nvcc -cubin "-arch=sm_$capability" -o "$cubin" "$source" >>"$log" 2>&1 \
            && mv "$cubin" "$here/kernels/" || say "nvcc: $source is not compiled here"
    done
}

# Describes the machine.
describe() {
    say "bundle: $here, $(date -u '+%F %T') UTC, platform $platform ${size#--}"
    say "machine: $(uname -r), $(getconf GNU_LIBC_VERSION), $(nproc) cores"
    if command -v nvidia-smi >/dev/null; then
        local query=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem,power.limit
        card=$(timeout -k 5 20 nvidia-smi --query-gpu=$query --format=csv,noheader | head -n 1)
        say "card: $card"
        card=${card%%,*}
    fi
}

# Writes the line of a part that did not run to its end.
record() {
    # A part that was ended may have written half a line.
    [ -z "$(tail -c 1 "$results")" ] || echo >>"$results"
    local why card_text=null
    why=$(printf '%s' "$2" | tr -d '\\"' | tr -cd '[:print:]' | cut -c 1-500)
    [ -z "$card" ] || card_text=\"$(printf '%s' "$card" | tr -d '\\"')\"
    printf '{"bench":"gpu/%s","value":0,"unit":"passed","reference":null,"ratio":null,"target":1,"holds":false,"why":"%s","card":%s}\n' \
        "$1" "$why" "$card_text" >>"$results"
}

# How many lines of the results are about a part as a whole.
lines_of() {
    grep -c "\"bench\":\"gpu/$1\"" "$results"
}

# Runs a part, whose output is in the log from its first byte.
run_part() {
    local part=$1 limit=$2 before status why began=$SECONDS
    before=$(lines_of "$part")
    say "== $part (limit $limit s)"
    local from
    from=$(wc -c <"$log")
    # The cases stop soon enough to write what they found.
    local options=()
    [ "$part" != ops ] || options=(--seconds "$((limit > 24 ? limit - 12 : limit / 2))")
    timeout -k 5 "$limit" "$here/hloom-gpu" --platform "$platform" --bundle "$here" \
        --results "$results" ${python:+--python "$python"} ${size:+"$size"} "$part" "${options[@]}" \
        </dev/null >>"$log" 2>&1 &
    group=$!
    # Bash would report a signal with the whole command.
    { wait "$group"; } 2>/dev/null
    status=$?
    # Peers that outlived their part would keep the card's memory.
    kill -KILL -- "-$group" 2>/dev/null
    group=
    local seconds=$((SECONDS - began))
    if [ $status -eq 0 ]; then
        say "$part: done in $seconds s"
        return 0
    fi
    case $status in
        124) why="limit of $limit s" ;;
        125 | 126 | 127) why="cannot be started: status $status" ;;
        137) [ $seconds -ge "$limit" ] && why="limit of $limit s" || why="ended by signal 9" ;;
        *) [ $status -gt 128 ] && why="ended by signal $((status - 128))" || why="status $status" ;;
    esac
    if [ "$(lines_of "$part")" -eq "$before" ]; then
        record "$part" "$why"
    fi
    local end
    end=$(tail -c "+$((from + 1))" "$log" | tail -n 25 | cut -c 1-400)
    say "$part: $why after $seconds s; the end of its output:"
    printf '%s\n' "$end"
    return 1
}

if [ -e "$here/hloom-gpu.gz" ]; then
    gzip -dc "$here/hloom-gpu.gz" >"$here/hloom-gpu" && chmod +x "$here/hloom-gpu" || exit 2
fi
python= python_prefix= python_plugin= site= card= group=
# The part is in a process group of its own.
trap '[ -z "$group" ] || kill -KILL -- "-$group"; exit 1' HUP INT TERM
describe
look_at_python
find_plugin
find_cuda
all=0
for part in ${parts:-platform llama ops saved calls callbacks story train}; do
    limit=${part#*:}
    part=${part%%:*}
    [ "$limit" != "$part" ] || limit=$(limit_of "$part")
    run_part "$part" "$limit" || all=1
done
"$here/hloom-gpu" table "$results" >"$out/table.md" 2>>"$log" || all=1
cat "$out/table.md"
exit $all
