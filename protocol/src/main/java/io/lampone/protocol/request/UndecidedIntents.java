package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.RowFamily;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Intents of unknown fate that a scan of one table has met or would meet next. Travels in the text
 * of a {@link Refusal}, before the text for people: {@code intents=BASE64}.
 *
 * <pre>
 *   intents = version:u8=1 n:len (start:i64 row:bytes family:bytes qualifier:bytes leader)*n
 *   leader  = 00 | 01 place          00: it is the place where the intent was met
 * </pre>
 *
 * @param all in the order of the scan; at least one
 */
public record UndecidedIntents(List<Met> all) {

  /** Maximum number of intents in a refusal. */
  public static final int MAX_INTENTS = 256;

  /** Length in bytes after which a refusal names no further intent. */
  private static final int MAX_BYTES = 16 << 10;

  private static final int FORMAT = 1;
  private static final String HEAD = "intents=";

  /** Minimum length of an intent, in bytes: start, three lengths, and whether a leader follows. */
  private static final int LEAST_BYTES = Long.BYTES + 4;

  /**
   * An undecided intent.
   *
   * @param start start timestamp of its transaction
   * @param qualifier a column of the intent that the reader may read
   * @param leader the leader of its transaction, as far as the reader may know; empty = the place
   *     of the intent
   */
  public record Met(
      long start, Bytes row, Bytes family, Bytes qualifier, Optional<RowFamily> leader) {}

  public UndecidedIntents {
    all = List.copyOf(all);
    if (all.isEmpty() || all.size() > MAX_INTENTS) {
      throw new IllegalArgumentException("number of intents out of range, size=" + all.size());
    }
  }

  /** Returns the refusal that names these intents, up to its limits. */
  public Refusal refusal() {
    Encoder items = new Encoder(256);
    int named = 0;
    for (Met met : all) {
      if (named > 0 && items.size() > MAX_BYTES) {
        break;
      }
      items.i64(met.start()).bytes(met.row()).bytes(met.family()).bytes(met.qualifier());
      items.bool(met.leader().isPresent());
      met.leader().ifPresent(items::place);
      named++;
    }
    byte[] head = new Encoder(8).u8(FORMAT).length(named).toByteArray();
    byte[] body = items.toByteArray();
    byte[] bytes = new byte[head.length + body.length];
    System.arraycopy(head, 0, bytes, 0, head.length);
    System.arraycopy(body, 0, bytes, head.length, body.length);
    return new Refusal(
        Refusal.Code.UNDECIDED,
        HEAD
            + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes)
            + " transactions have written here whose outcome is not known yet",
        0,
        all.get(0).row());
  }

  /**
   * Returns the intents that a refusal names.
   *
   * @throws MalformedException if it names none
   */
  public static UndecidedIntents in(Refusal refusal) {
    String detail = refusal.detail();
    int end = detail.indexOf(' ');
    if (!detail.startsWith(HEAD) || end < 0) {
      throw new MalformedException("refusal names no intent, code=" + refusal.code());
    }
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(detail.substring(HEAD.length(), end));
    } catch (IllegalArgumentException e) {
      throw new MalformedException("unreadable intents in a refusal", e);
    }
    Decoder in = new Decoder(bytes);
    in.version(FORMAT, "undecided intents");
    List<Met> all = new ArrayList<>();
    for (int left = in.count(LEAST_BYTES, MAX_INTENTS, "undecided intents"); left > 0; left--) {
      long start = in.i64();
      Bytes row = in.bytes();
      Bytes family = in.bytes();
      Bytes qualifier = in.bytes();
      all.add(
          new Met(
              start,
              row,
              family,
              qualifier,
              in.bool() ? Optional.of(in.place()) : Optional.empty()));
    }
    in.end("undecided intents");
    if (all.isEmpty()) {
      throw new MalformedException("refusal names no intent");
    }
    return new UndecidedIntents(all);
  }
}
