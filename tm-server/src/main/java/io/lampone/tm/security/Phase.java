package io.lampone.tm.security;

/** Degree to which a protection is required of clients. */
public enum Phase {
  /** Clients without it are refused. */
  REQUIRED,
  /** Being enabled: clients without it are served, and counted. */
  PERMISSIVE
}
