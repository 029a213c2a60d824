package io.lampone.protocol.wire;

/**
 * Capabilities of an end of a connection beyond its protocol version, as bits. The hello lists
 * those of the client, the welcome those of both ends; unknown bits are ignored, so that an older
 * and a newer end can communicate.
 */
public final class Capabilities {

  /** Requests carry a priority. */
  public static final long PRIORITY = 1;

  /** The client supports {@link GoAway}. */
  public static final long GOODBYE = 1 << 1;

  /** The client can answer a {@link Handshake.Challenge}. */
  public static final long SECRET = 1 << 2;

  /** The client sends {@link Command}s; a backup welcomes it too, at epoch 0. */
  public static final long COMMANDS = 1 << 3;

  /** The client is a transaction manager that hands its tables over to this one. */
  public static final long TRANSFER = 1 << 4;

  /**
   * Validations may be conditional, and are then answered with an assigned timestamp (ADR 81).
   * Between transaction managers: assigned timestamps can be handed over.
   */
  public static final long ASSIGNED = 1 << 5;

  /** Clients report ended and open transactions, and obtain start timestamps ahead of need. */
  public static final long PROGRESS = 1 << 6;

  /** Progress reports may list the rows on which the client's transactions met conflicts. */
  public static final long HOT_ROWS = 1 << 7;

  /**
   * Other validators than the primary may own buckets of conflict hashes (ADR 91). The client may
   * ask for their owners by {@link Command#OWNERS_OF_BUCKETS} beside its requests.
   */
  public static final long BUCKETS = 1 << 10;

  /** Begins are answered with a grant, and validations name one; decisions carry proofs. */
  public static final long OWNERSHIP = 1 << 8;

  /** The client can present a Kerberos ticket, by {@link Handshake.Sasl}. */
  public static final long SASL = 1 << 9;

  /** Progress reports may have the work of a client, or the state of a region server. */
  public static final long WORK = 1 << 11;

  /** Running transactions may reserve conflict hashes (ADR 96). */
  public static final long RESERVATIONS = 1 << 12;

  private Capabilities() {}

  /** Returns true if {@code capabilities} has all bits of {@code wanted}. */
  public static boolean has(long capabilities, long wanted) {
    return (capabilities & wanted) == wanted;
  }
}
