/** How `server.db` came to its form. Entries are only ever added at the end. */
export const serverMigrations: readonly string[] = [
  `
  CREATE TABLE revision (
    tenant TEXT NOT NULL,
    revision INTEGER NOT NULL,
    pack TEXT NOT NULL,
    bundle TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    signed_by TEXT,
    hooks INTEGER NOT NULL,
    created TEXT NOT NULL,
    created_by TEXT NOT NULL,
    PRIMARY KEY (tenant, revision)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE bundle (digest TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE rollout (
    tenant TEXT PRIMARY KEY,
    generation INTEGER NOT NULL,
    active INTEGER,
    candidate INTEGER,
    percent INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE rollout_change (
    tenant TEXT NOT NULL,
    generation INTEGER NOT NULL,
    active INTEGER,
    candidate INTEGER,
    percent INTEGER,
    what TEXT NOT NULL,
    at TEXT NOT NULL,
    made_by TEXT NOT NULL,
    PRIMARY KEY (tenant, generation)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    tenant TEXT,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created TEXT NOT NULL,
    expires TEXT,
    revoked TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX api_key_tenant ON api_key (tenant);
  CREATE TABLE tenant (
    tenant TEXT PRIMARY KEY,
    created TEXT NOT NULL,
    disabled INTEGER NOT NULL,
    signed_only INTEGER NOT NULL,
    limits TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE quarantine (
    tenant TEXT NOT NULL,
    program TEXT NOT NULL,
    hook TEXT NOT NULL,
    times INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    fault TEXT NOT NULL,
    PRIMARY KEY (tenant, program)
  ) STRICT, WITHOUT ROWID;
  `,
  // `bundle` is the digest of the content from here on; the bytes are found by their own.
  `
  ALTER TABLE revision ADD COLUMN file TEXT NOT NULL DEFAULT '';
  UPDATE revision SET file = bundle;
  `,
  `
  CREATE TABLE approval (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    state TEXT NOT NULL,
    created TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (tenant, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX approval_state ON approval (state, created);
  `,
  // JSON of the last degraded window.
  `ALTER TABLE tenant ADD COLUMN degraded TEXT NOT NULL DEFAULT 'null';`,
];

/** How `audit.db` came to its form. */
export const auditMigrations: readonly string[] = [
  `
  CREATE TABLE chain (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    node TEXT NOT NULL,
    n INTEGER NOT NULL,
    hash TEXT NOT NULL,
    seq INTEGER NOT NULL,
    log TEXT NOT NULL,
    closed INTEGER NOT NULL,
    UNIQUE (tenant, node)
  ) STRICT;
  CREATE TABLE record (
    chain INTEGER NOT NULL REFERENCES chain (id),
    n INTEGER NOT NULL,
    hash TEXT NOT NULL,
    line TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (chain, n)
  ) STRICT, WITHOUT ROWID;
  `,
];
