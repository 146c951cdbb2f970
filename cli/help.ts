export const help = `Hookloom: workflows, credentials, executions

  workflow validate FILE...           check files; needs no service
  workflow put FILE...                store files as new versions; - is standard input
  workflow get ID [--version N]       print a definition
  workflow list [--json]
  workflow enable ID
  workflow disable ID
  workflow remove ID                  its versions stay readable

  credential create ID --type apiKey
  credential create ID --type basic --username NAME [--password-stdin]
  credential rotate ID [--password-stdin]
  credential revoke ID SECRET_ID      or --all
  credential list [--json]

  execution list [--workflow ID] [--status STATUS] [--from TIME] [--to TIME]
                 [--limit N] [--cursor CURSOR] [--json]
  execution show ID [--json]          what it did, node by node
  execution watch ID                  follow it live, until it ends
  execution retry ID [--from NODE]    run it again, with --current on the current version
  execution cancel ID                 end it before its time

Without --stage, commands go to the local service (npm start).
  --stage NAME     a deployed stage, with the AWS credentials of the environment
  --region NAME    its region
  --help, --version

Examples
  npm run -s cli -- workflow put workflows/hello.json
  npm run -s cli -- credential create orders-key --type apiKey > key.txt
  npm run -s cli -- workflow list --stage production
  npm run -s cli -- execution list --status failed --from 2026-01-31

Exit codes: 0 done, 1 refused or failed, 2 the command line is wrong.`;
