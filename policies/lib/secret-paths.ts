import { baseName, globMatches, isGlob } from "./paths.ts";

/** Names of files that hold secrets, wherever they lie. In lower case, as all that follows. */
const names: ReadonlySet<string> = new Set([
  ".envrc",
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ed25519",
  "id_ecdsa_sk",
  "id_ed25519_sk",
  ".netrc",
  "_netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".my.cnf",
  ".git-credentials",
  ".htpasswd",
  ".vault-token",
  ".terraformrc",
  "credentials.json",
  "secrets.yaml",
  "secrets.yml",
  "secrets.json",
  "wallet.dat",
]);

/** How such names begin and end. */
const beginnings = /^(?:\.env\.|service-account.*\.json$)/;
const endings = /\.(?:env|pem|key|p12|pfx|jks|keystore|kdbx|ppk|tfstate|tfvars)$/;

/** Names that look like one of them and hold no secret. */
const harmless: ReadonlySet<string> = new Set([
  ".env.example",
  ".env.sample",
  ".env.template",
  ".env.dist",
  ".env.test",
  "example.env",
  "sample.env",
  "process.env",
  "import.meta.env",
  "cacert.pem",
]);

/** Ends of paths in hidden folders that hold secrets. */
const places: readonly RegExp[] = [
  /\/\.ssh\/(?!known_hosts$|config$|authorized_keys$)[^/]+$/,
  /\/\.aws\/(?:credentials|config|sso(?:\/.*)?|cli(?:\/.*)?)$/,
  /\/\.config\/gcloud\/.*$/,
  /\/\.azure\/.*$/,
  /\/\.kube\/(?:config|cache\/.*)$/,
  /\/\.docker\/config\.json$/,
  /\/\.gnupg\/.*$/,
  /\/\.config\/(?:gh\/hosts\.yml|hub|op\/.*|rclone\/rclone\.conf)$/,
  /\/\.cargo\/credentials(?:\.toml)?$/,
  /\/\.gem\/credentials$/,
  /\/\.m2\/settings(?:-security)?\.xml$/,
];

const systemPlaces =
  /^\/etc\/(?:shadow|gshadow|sudoers|master\.passwd)-?$|^\/proc\/[^/]+\/environ$|^\/(?:run|var\/run)\/secrets\/|\/library\/keychains\//;

/** Folders of which the whole content is secret. */
const folders: readonly RegExp[] = [/\/\.(?:ssh|aws|gnupg|azure)$/, /\/\.config\/gcloud$/];

/** Names that a pattern with `*` is held against: a shell writes out the name. */
const typical: readonly string[] = [
  ".env",
  "id_rsa",
  "id_ed25519",
  ".netrc",
  ".npmrc",
  ".pgpass",
  ".git-credentials",
];

const matchesOne = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => globMatches(pattern.toLowerCase(), name));

/** Whether a path, in the form of `resolvePath`, is that of a file with secrets. */
export function isSecret(path: string, more: readonly string[], except: readonly string[]): boolean {
  const low = path.toLowerCase();
  const name = baseName(low);
  const isOne =
    names.has(name) ||
    endings.test(name) ||
    beginnings.test(name) ||
    matchesOne(more, name) ||
    isSecretPlace(low) ||
    // `cat .en*`, `cat id_*`: a pattern that begins like a secret name.
    (isGlob(name) && !/^[*?[]/.test(name) && typical.some((secret) => globMatches(name, secret)));
  // Asked last: nearly all paths are neither.
  return isOne && !harmless.has(name) && !name.endsWith(".pub") && !matchesOne(except, name);
}

function isSecretPlace(low: string): boolean {
  if (systemPlaces.test(low)) return true;
  if (!low.includes("/.")) return false;
  return places.some((place) => place.test(low)) || folders.some((folder) => folder.test(low));
}
