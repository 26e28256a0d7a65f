#!/bin/sh
# Waits until the Temporal server at TEMPORAL_ADDRESS works, and creates TEMPORAL_NAMESPACE, which keeps ended runs for
# RETENTION. Runs in the image temporalio/admin-tools.
set -eu

# Without a limit, the CLI waits for ever for a server that does not answer.
temporal() { command temporal "$@" --command-timeout 30s; }

wait_for() { # Arguments: what the command waits for, then the command.
  what=$1
  shift
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 30 ] || { echo "Gave up after 30 attempts at $TEMPORAL_ADDRESS: $what." >&2; exit 1; }
    sleep 2
  done
}

wait_for "waiting for the Temporal server" temporal operator cluster health
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
# The server reads its list of namespaces every few seconds. Until it knows the new namespace, it refuses requests to it.
wait_for "waiting for the namespace $TEMPORAL_NAMESPACE" temporal workflow list --namespace "$TEMPORAL_NAMESPACE" --limit 1
echo "Namespace $TEMPORAL_NAMESPACE is ready."
