export const help = `Hookloom: workflows and credentials

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

Without --stage, commands go to the local service (npm start).
  --stage NAME     a deployed stage, with the AWS credentials of the environment
  --region NAME    its region
  --help, --version

Examples
  npm run -s cli -- workflow put workflows/hello.json
  npm run -s cli -- credential create orders-key --type apiKey > key.txt
  npm run -s cli -- workflow list --stage production

Exit codes: 0 done, 1 refused or failed, 2 the command line is wrong.`;
