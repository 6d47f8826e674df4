import type { BrokerEvent } from "hookwarden/broker";
import { maskEvent, parseMask } from "hookwarden/log";
import type { Feed } from "../feed.ts";
import type { Log } from "../log.ts";
import type { ServerOptions, ServerSettings } from "../options.ts";
import type { Registry } from "../registry.ts";
import type { Stores } from "../storage.ts";
import { Approvals } from "./approvals.ts";
import { ApprovalWebhook } from "./webhook.ts";

/** The parts of a server that approvals need. */
export interface ApprovalParts {
  readonly options: ServerOptions;
  readonly settings: ServerSettings;
  readonly log: Log;
  readonly stores: Stores;
  readonly feed: Feed;
  readonly registry: Registry;
}

/** Takes over the approvals of the store; the tenants have been loaded. */
export function openApprovals(parts: ApprovalParts): Promise<Approvals> {
  const { options, settings, log, stores, feed, registry } = parts;
  const { webhook, approvers, retentionDays } = options.approvals ?? {};
  const masks = (options.mask ?? []).map(parseMask);
  return Approvals.open({
    store: stores.approvals,
    feed,
    log,
    webhook: webhook ? new ApprovalWebhook(webhook) : null,
    mask: (event) => maskEvent(event as BrokerEvent, masks)?.event ?? event,
    tenantOf: (name) => registry.get(name),
    isSeparate: !settings.isOpen,
    approvers: approvers ? new Set(approvers) : null,
    retentionDays,
  });
}
