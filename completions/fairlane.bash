# bash completion for fairlane

# The options of a subcommand.
_fairlane_options() {
  local queue='--help --transport --json --table'
  local handling='--mode --workers --window --timeout --visibility --grace --backoff --retry-delay
    --high-ratio --priority-threshold --results --quiet'
  case $1 in
    run) echo "--help --transport $handling --group-by --priority-by --skip-bad --limit --max-attempts
      --when-exhausted --rotation --dead --unfinished" ;;
    work) echo "--help --transport $handling --until-empty --worker --max-attempts --min-priority" ;;
    publish) echo '--help --transport --batch --wait --json' ;;
    claim) echo "$queue --worker --visibility --min-priority --wait --count" ;;
    ack | release | stats) echo "$queue" ;;
    nack) echo "$queue --delay" ;;
    extend) echo "$queue --visibility" ;;
    reject) echo "$queue --reason" ;;
    groups) echo "$queue --suspended --limit --after --base64" ;;
    peek) echo "$queue --base64 --limit" ;;
    inspect | suspend | resume | terminate | cancel) echo "$queue --base64" ;;
    dead) echo '--help' ;;
    'dead list') echo "$queue --limit --after" ;;
    'dead redrive' | 'dead drop') echo "$queue --all" ;;
    copy) echo '--help --move --force --continue --json --table' ;;
    schema) echo '--help' ;;
    replay) echo '--help --transport --quiet' ;;
  esac
}

_fairlane() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} i
  local urls='memory: sqlite: postgresql: redis: sharded:' words=''
  if [ "$COMP_CWORD" = 1 ]; then
    words='run publish work claim ack nack extend release reject stats groups inspect peek suspend
      resume terminate cancel dead copy schema replay --help --version'
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    return
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [ "${COMP_WORDS[i]}" = -- ]; then
      mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
      return
    fi
  done
  case $prev in
    --mode) mapfile -t COMPREPLY < <(compgen -W 'exec lines' -- "$cur"); return ;;
    --when-exhausted) mapfile -t COMPREPLY < <(compgen -W 'dead_letter suspend_group' -- "$cur"); return ;;
    --rotation) mapfile -t COMPREPLY < <(compgen -W 'oldest_claim_first ready_order' -- "$cur"); return ;;
    --transport) mapfile -t COMPREPLY < <(compgen -W "$urls" -- "$cur"); return ;;
  esac
  if [ "$command" = dead ]; then
    [ "$COMP_CWORD" = 2 ] && words='list redrive drop'
    [ "$COMP_CWORD" -gt 2 ] && command="dead ${COMP_WORDS[2]}"
  fi
  case $command in
    schema) words='memory postgresql redis sharded sqlite' ;;
    copy) words=$urls ;;
  esac
  words="$words $(_fairlane_options "$command")"
  case $command in
    run | publish | replay) mapfile -t COMPREPLY < <(compgen -W "$words" -f -- "$cur") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur") ;;
  esac
}
complete -F _fairlane fairlane
