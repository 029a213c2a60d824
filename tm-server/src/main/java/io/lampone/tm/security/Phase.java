package io.lampone.tm.security;

/** How much of a protection is demanded of clients. */
public enum Phase {
  /** Clients without it are refused. */
  REQUIRED,
  /** It is being switched on: clients without it are served, and counted. */
  PERMISSIVE
}
