#!/usr/bin/env bash
# Installs what is missing: system packages by apt (as root or with sudo), the Python environment .venv, Node and npm packages.
# Does nothing, quickly, when all is there.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${VENV:-.venv}

if command -v dpkg-query >/dev/null; then
    mapfile -t wanted < <(sed -e 's/#.*//' -e 's/[[:space:]]*$//' .ci/apt-packages.txt | grep .)
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
    echo "not a Debian system: see environment.yml for the packages that are needed" >&2
fi

# Debian's own interpreter: the kernel embeds its libpython, another 3.11.x cannot load into it.
if [ ! -x "$venv/bin/python" ]; then /usr/bin/python3 -m venv "$venv"; fi
stamp="$venv/.requirements"
if ! cmp -s .ci/requirements.txt "$stamp"; then
    echo "installing Python packages into $venv"
    "$venv/bin/pip" install -q --disable-pip-version-check -r .ci/requirements.txt
    cp .ci/requirements.txt "$stamp"
fi
