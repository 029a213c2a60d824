package io.lampone.tm.token.core;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Mark of a renewed or cancelled token. Its name holds all data, so that one listing of the znodes
 * suffices:
 *
 * <pre>
 *   name = number:16*hex "-" until:13*digit "-" ("renewed" | "cancelled") "-" owner:16*hex
 * </pre>
 *
 * @param number the number of the token
 * @param untilMillis end of validity of a renewed token, or of a cancelled one before that
 * @param cancelled whether it was cancelled
 * @param owner the first 8 bytes of the SHA-256 of the owner's name, in hexadecimal
 */
public record TokenMark(long number, long untilMillis, boolean cancelled, String owner) {

  private static final Pattern NAME =
      Pattern.compile("([0-9a-f]{16})-([0-9]{13})-(renewed|cancelled)-([0-9a-f]{16})");
  private static final int OWNER_BYTES = 8;

  /** Returns the name of its znode. */
  public String name() {
    return String.format(
        Locale.ROOT,
        "%016x-%013d-%s-%s",
        number,
        untilMillis,
        cancelled ? "cancelled" : "renewed",
        owner);
  }

  /** Parses the name of a znode; empty if it is not that of a mark. */
  public static Optional<TokenMark> ofName(String name) {
    Matcher matcher = NAME.matcher(name);
    return matcher.matches()
        ? Optional.of(
            new TokenMark(
                Long.parseUnsignedLong(matcher.group(1), 16),
                Long.parseLong(matcher.group(2)),
                matcher.group(3).equals("cancelled"),
                matcher.group(4)))
        : Optional.empty();
  }

  static String ownerOf(String principal) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(principal.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, OWNER_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
