# Set-up shared by the scripts: a virtual environment in the checkout with the built engine in it.
#
# A script sources this file and calls `prepare` (or `prepare test` to have the test tools as well).
# When everything is up to date that is a few file comparisons, because a GUI may be waiting;
# otherwise it makes what is missing. Nothing here writes to stdout or reads stdin: scripts/engine
# may be talking UCI there.

# What is set for another environment or another build must not leak into ours.
unset CDPATH PYTHONHOME PYTHONPATH CYTHERA_SANITIZE

root=$(cd -P -- "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
venv=$root/.venv
place_note=$venv/cythera-place           # where the environment was made, and with which Python
build_stamp=$venv/cythera-build          # what was built; its time is when that build began
unfinished=$venv/cythera-unfinished      # there while an environment is being made
log=$venv/cythera-setup.log

prepare() {
    local extras=${1:-}
    if ! is_ready "$extras"; then
        set_up "$extras" </dev/null >&2
    fi
}

fail() {
    printf '%s\n' "$*" >&2
    exit 2
}

# --- Is there anything to do? ---------------------------------------------------------------------

is_ready() {
    local extras=$1 source
    is_in_place || return 1
    read_build_stamp
    [[ $built == "$(describe_build)" ]] || return 1
    [[ -z $extras || $built_extras == "$extras" ]] || return 1
    for source in "$root"/core_ext/{,*/}*.p[yx][xi] "$root/setup.py" "$root/pyproject.toml"; do
        [[ $source -nt $build_stamp ]] && return 1
    done
    local cores=("$root"/core_ext/core.*.so "$root"/core_ext/levels/*/core.*.so)
    [[ -e ${cores[0]} || -e ${cores[1]} ]]
}

# An environment survives neither a move of the checkout nor a new version of its Python.
is_in_place() {
    local noted=''
    [[ -f $place_note ]] && read -r noted <"$place_note" && [[ $noted == "$(describe_place)" ]]
}

describe_place() {
    printf '%s|' "$root"
    readlink -f -- "$venv/bin/python" || true
}

# The CPU counts because a native build may not run on another one: a copied disk image, a home
# directory on a network.
describe_build() {
    local cpu=''
    if [[ ${CYTHERA_ARCH:-native} == native && -r /sys/devices/system/cpu/modalias ]]; then
        read -r cpu </sys/devices/system/cpu/modalias || true
    fi
    printf '%s|%s|%s|%s|%s' "${CYTHERA_ARCH:-native}" "${CYTHERA_DEBUG:-0}" \
        "${CYTHERA_TUNE:-0}" "${CYTHERA_PGO:-0}" "${cpu%%:feature*}"
}

read_build_stamp() {
    built='' built_extras=''
    if [[ -f $build_stamp ]]; then
        { read -r built && read -r built_extras; } <"$build_stamp" || true
    fi
}

# --- What the machine must have -------------------------------------------------------------------

# Prints the Debian packages that a Python lacks for us, and fails when it is too old. The first
# lines must be readable to any Python.
readonly PROBE='
import sys
if sys.version_info < (3, 10):
    sys.exit(1)
import importlib.util, os, sysconfig
lacking = []
if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
    lacking.append("python3-dev")
if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
    lacking.append("python3-venv")
print(" ".join(lacking))
'

# check_machine PYTHON... chooses among these interpreters, and ends the script with one sentence
# when something that the build needs is missing. It and the two it calls add to lacking.
check_machine() {
    lacking=''
    choose_python "$@"
    choose_compiler
    local packages
    read -r -a packages <<<"$lacking"
    ((${#packages[@]} == 0)) || fail "Cythera can't be built before this machine has" \
        "$(name_contents "${packages[@]}"): sudo apt install ${packages[*]}"
}

# Sets python to the first that lacks nothing, else to the first that is new enough.
choose_python() {
    python=''
    local candidate answer
    for candidate; do
        answer=$("$candidate" -I -c "$PROBE" 2>/dev/null) || continue
        # An environment that exists already was made without the venv module's help, or with it.
        [[ $candidate != "$venv"/* ]] || answer=${answer/python3-venv/}
        if [[ -z ${answer// /} ]]; then
            python=$candidate lacking=''
            return
        fi
        [[ -n $python ]] || python=$candidate lacking=$answer
    done
    [[ -n $python ]] || lacking=python3
}

# Sets CC when the compiler that Python was built with is not here but another one is.
choose_compiler() {
    local wanted=${CC:-} compiler
    if [[ -z $wanted && -n $python ]]; then
        wanted=$("$python" -I -c 'import sysconfig; print(sysconfig.get_config_var("CC") or "")')
    fi
    for compiler in "${wanted%% *}" gcc cc clang; do
        type -P "$compiler" >/dev/null || continue
        [[ $compiler == "${wanted%% *}" ]] || export CC=$compiler
        "$compiler" -E -x c - <<<'#include <stdlib.h>' >/dev/null 2>&1 || lacking+=' libc6-dev'
        return
    done
    lacking+=' gcc'
}

# name_contents PACKAGE... prints what the packages give, as the middle of a sentence.
name_contents() {
    local package name separator=''
    for package; do
        case $package in
            python3) name='Python 3.10 or newer' ;;
            python3-dev) name="Python's C headers" ;;
            python3-venv) name="Python's venv module" ;;
            gcc) name='a C compiler' ;;
            libc6-dev) name="the C library's headers" ;;
        esac
        printf '%s%s' "$separator" "$name"
        separator=' and '
    done
}

# --- Making it ------------------------------------------------------------------------------------

# A subshell, so that the lock is given up at its end whatever happens.
set_up() (
    extras=$1
    { exec 9>"$root/.venv.lock"; } 2>/dev/null ||
        fail "Cythera can't be set up: $root is not writable"
    if type -P flock >/dev/null && ! flock -n 9; then
        echo "Waiting for another set-up of Cythera to end…"
        flock 9
    fi
    is_ready "$extras" && exit 0
    make_environment
    build "$extras"
)

# Keeps an environment that works, also one that somebody else made; replaces one that was left half
# made, that was moved, or whose Python is gone.
make_environment() {
    if is_usable_environment; then
        check_machine "$venv/bin/python"
        echo "Rebuilding Cythera…"
    else
        local pythons
        mapfile -t pythons < <(type -aP python3 python3.{10..19} || true)
        check_machine "${pythons[@]}"
        echo "Setting up Cythera (first run only, about a minute)…"
        rm -rf -- "$venv"
        mkdir -- "$venv"
        touch -- "$unfinished"
        "$python" -I -m venv "$venv" >"$log" 2>&1 || explain_failure
    fi
    describe_place >"$place_note"
}

is_usable_environment() {
    [[ -x $venv/bin/python && ! -e $unfinished ]] || return 1
    [[ ! -e $place_note ]] || is_in_place || return 1
    "$venv/bin/python" -I -c "$PROBE" >/dev/null 2>&1 || return 1
    "$venv/bin/python" -I -m pip --version >/dev/null 2>&1 ||
        "$venv/bin/python" -I -m ensurepip >/dev/null 2>&1
}

# Builds in the environment itself: with pip's own isolation each rebuild would need a network.
build() {
    local extras=$1 requirements
    read_build_stamp
    extras=${extras:-$built_extras}
    rm -f -- "$build_stamp"
    # Written before the build and put in place after it: a file saved in between is newer.
    printf '%s\n%s\n' "$(describe_build)" "$extras" >"$build_stamp.new"
    : >"$log"
    cd -- "$root" || exit
    requirements=$(sed -n '/^\[build-system\]/,/^\[project\]/s/^requires = //p' pyproject.toml)
    read -r -a requirements <<<"${requirements//[\[\]\",]/ }"
    run_pip install "${requirements[@]}"
    run_pip install --no-build-isolation --editable ".${extras:+[$extras]}"
    rm -f -- "$unfinished"
    mv -- "$build_stamp.new" "$build_stamp"
}

run_pip() {
    PIP_USER=0 "$venv/bin/python" -I -m pip --disable-pip-version-check --no-input "$@" \
        >>"$log" 2>&1 || explain_failure
}

# One sentence for the usual causes; for the others the complaints of Cython or the compiler.
explain_failure() {
    rm -f -- "$unfinished"
    local refusal
    refusal=$(sed -nE '/^ *CYTHERA_(ARCH|PGO)/{s/^ *//p;q}' "$log")
    [[ -z $refusal ]] || fail "$refusal"
    local offline='no matching distribution|name resolution|unreachable|timed out'
    offline+='|proxyerror|newconnectionerror|connection (refused|broken|reset|aborted)'
    if grep -qiE "$offline" "$log"; then
        fail "Cythera needs the internet to download its Python packages, and pip could not reach" \
            "them: $log has the details"
    fi
    grep -E -A 5 '\.(c|pyx|pxi):[0-9]+:[0-9]+: (.*error|[^w])' "$log" || tail -n 40 -- "$log"
    fail "Cythera could not be built: $log has the whole story"
}
