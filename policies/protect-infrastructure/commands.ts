import type { Loss } from "../lib/losses.ts";

const kube = ["kubectl", "oc", "k"];
const containers = ["docker", "podman"];
const terraform = ["terraform", "tofu", "terragrunt"];

/** For each program the gravest row comes first; the first that matches counts. */
export const losses: readonly Loss[] = [
  {
    programs: terraform,
    test: / (?:destroy|apply .*-destroy) /,
    verdict: "deny",
    what: "destroys what it manages",
  },
  {
    programs: terraform,
    test: / -auto-approve /,
    verdict: "ask",
    what: "changes what it manages without a look at the plan",
  },
  {
    programs: terraform,
    test: / (state rm|state push|workspace delete|force-unlock) /,
    verdict: "ask",
    what: "changes its record of what it manages",
  },
  { programs: ["pulumi"], test: / (destroy|stack rm) /, verdict: "deny", what: "destroys what it manages" },
  {
    programs: ["pulumi"],
    test: / up .*(-y|--yes) /,
    verdict: "ask",
    what: "changes what it manages without a look at the plan",
  },
  {
    programs: kube,
    test: / delete (?:.* )?(ns|namespaces?|nodes?|pvc?|persistentvolumes?|persistentvolumeclaims?|crds?|--all|-A|--all-namespaces)[ /=]/,
    verdict: "deny",
    what: "deletes more than one workload",
  },
  { programs: kube, test: / (delete|drain|cordon) /, verdict: "ask", what: "takes a workload away" },
  {
    programs: kube,
    test: / (replace .*--force|scale .*--replicas[= ]0) /,
    verdict: "ask",
    what: "takes a workload away",
  },
  { programs: ["helm"], test: / (uninstall|delete|del|un) /, verdict: "ask", what: "removes a release" },
  {
    programs: ["aws"],
    test: /^(?!.* help $).* (s3 rb|s3 rm .*--recursive|s3api delete-bucket|ec2 terminate-instances|rds delete-db\S*|dynamodb delete-table|cloudformation delete-stack|eks delete-cluster) /,
    verdict: "deny",
    what: "destroys data or machines",
  },
  {
    programs: ["aws"],
    test: /^(?!.* help $).* (delete-\S+|terminate-\S+|remove-\S+|s3 rm|s3 sync .*--delete) /,
    verdict: "ask",
    what: "deletes in the cloud",
  },
  { programs: ["gsutil"], test: / (rb |rm .*-[a-zA-Z]*[rR])/, verdict: "deny", what: "destroys data" },
  {
    programs: ["gcloud"],
    test: / (projects|sql instances|sql databases|container clusters|storage buckets) delete /,
    verdict: "deny",
    what: "destroys data or machines",
  },
  { programs: ["gcloud"], test: / (delete|rm) /, verdict: "ask", what: "deletes in the cloud" },
  {
    programs: ["az"],
    test: / (group|storage account|sql server|aks) delete /,
    verdict: "deny",
    what: "destroys data or machines",
  },
  { programs: ["az", "doctl"], test: / delete /, verdict: "ask", what: "deletes in the cloud" },
  {
    programs: ["heroku"],
    test: / (apps:destroy|pg:reset|addons:destroy) /,
    verdict: "deny",
    what: "destroys an application or its data",
  },
  {
    programs: ["fly", "flyctl"],
    test: / destroy /,
    verdict: "deny",
    what: "destroys an application or its data",
  },
  {
    programs: containers,
    test: / (system prune|volume (rm|remove|prune)|compose .*down .*(-v|--volumes)) /,
    verdict: "ask",
    what: "deletes volumes or images",
  },
  { programs: ["docker-compose"], test: / down .*(-v|--volumes) /, verdict: "ask", what: "deletes volumes" },
  { programs: ["dropdb"], test: /^/, verdict: "deny", what: "destroys a database" },
  { programs: ["mysqladmin"], test: / drop /, verdict: "deny", what: "destroys a database" },
  {
    programs: ["redis-cli", "valkey-cli"],
    test: / flush(all|db) /i,
    verdict: "deny",
    what: "destroys a database",
  },
  {
    programs: ["mongo", "mongosh"],
    test: /dropDatabase\(|\.drop\(|deleteMany\(\s*\{\s*\}/,
    verdict: "deny",
    what: "destroys a database",
  },
  {
    programs: ["rails", "rake"],
    test: / (db:drop|db:reset|db:purge)\S* /,
    verdict: "ask",
    what: "destroys a database",
  },
  {
    programs: ["prisma", "npx"],
    test: / (migrate reset|db push .*--force-reset) /,
    verdict: "ask",
    what: "destroys a database",
  },
  {
    programs: ["iptables", "ip6tables", "nft"],
    test: / (-F|--flush|flush) /,
    verdict: "ask",
    what: "takes the firewall down",
  },
  {
    programs: ["ufw"],
    test: /^(?!.* --dry-run ).* (disable|reset) /,
    verdict: "ask",
    what: "takes the firewall down",
  },
];

/** Programs that take SQL in their arguments or from their input. */
export const sqlPrograms: ReadonlySet<string> = new Set([
  "psql",
  "mysql",
  "mariadb",
  "sqlite3",
  "pgcli",
  "mycli",
  "litecli",
  "sqlcmd",
  "clickhouse-client",
  "duckdb",
  "bq",
  "cockroach",
]);
