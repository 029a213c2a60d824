package io.lampone.protocol.tm;

/**
 * A snapshot that must remain readable: the safe point does not rise above it while the hold lasts.
 *
 * @param owner owner of the hold; {@code principal/owner} if clients authenticate
 * @param name distinguishes the holds of an owner
 * @param timestamp the snapshot
 * @param remainingMillis time until it expires unless it is renewed
 */
public record Hold(String owner, String name, long timestamp, long remainingMillis) {

  /** Maximum length of an owner or a name, in characters. */
  public static final int MAX_TEXT_LENGTH = 64;

  /** Separates the principal from the owner it has named; occurs in no name. */
  public static final String OF_PRINCIPAL = "/";

  /** Prefix of the refusal of a hold on a snapshot that may be gone; clients recognize it. */
  public static final String BELOW_SAFE_POINT = "snapshot is below the safe point";

  /** Pattern of owners and names. */
  public static final String TEXT = "[A-Za-z0-9._:@-]{1," + MAX_TEXT_LENGTH + "}";

  /** Pattern of owners with or without a principal; principals have other characters. */
  public static final String OWNER = "([A-Za-z0-9._@=-]{1,64}" + OF_PRINCIPAL + ")?" + TEXT;
}
