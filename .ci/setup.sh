#!/usr/bin/env bash
# Installs what is missing: system packages by apt (as root or with sudo), the Python environment .venv, Node and npm packages.
# Returns quickly if nothing is missing. FOR=wheel installs only what building a wheel needs.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${VENV:-.venv}

if command -v dpkg-query >/dev/null; then
    mapfile -t wanted < <(grep -v '^#' .ci/apt-packages.txt | grep -F "${FOR:+($FOR)}" | sed -e 's/#.*//' -e 's/[[:space:]]*$//')
    have=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
    missing=()
    for package in "${wanted[@]}"; do grep -qxF "$package" <<<"$have" || missing+=("$package"); done
    if [ ${#missing[@]} -gt 0 ]; then
        if [ "$(id -u)" = 0 ]; then as_root=()
        elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as_root=(sudo)
        else
            echo "These system packages are missing, and installing them needs root:" >&2
            echo "    apt-get install --no-install-recommends ${missing[*]}" >&2
            exit 1
        fi
        echo "installing ${#missing[@]} system packages"
        export DEBIAN_FRONTEND=noninteractive
        "${as_root[@]}" apt-get update -qq
        "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    fi
else
    echo "not a Debian system: .ci/apt-packages.txt names the packages that are needed" >&2
fi

# Uses Debian's own interpreter: the kernel embeds its libpython, and modules of another 3.11.x cannot be loaded into it.
python=${PYTHON:-/usr/bin/python3}
if [ ! -x "$venv/bin/python" ]; then "$python" -m venv "$venv"; fi
requirements=.ci/requirements${FOR:+-$FOR}.txt stamp="$venv/.requirements"
if ! cmp -s "$requirements" "$stamp"; then
    echo "installing Python packages into $venv"
    "$venv/bin/pip" install -q --disable-pip-version-check -r "$requirements"
    cp "$requirements" "$stamp"
fi
