package io.lampone.protocol.request;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.Fate;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Encoding of the fates of transactions whose intents a reader has met. Each judgment names its
 * leader and applies to the intents of that leader only.
 *
 * <pre>
 *   judgments = count:length (start:i64 commit:i64 tag leader:place)*
 *   tag       = 2*i64 if the commit is not 0
 * </pre>
 */
public final class Judgments {

  /** Start, commit, and a place of three lengths. */
  private static final int LEAST_BYTES = Long.BYTES + Fate.LEAST_JUDGMENT_BYTES + 3;

  /** Maximum length of a request without its judgments, in bytes. */
  private static final int OTHER_BYTES = 1_024;

  private static final Comparator<TransactionId> ORDER =
      Comparator.comparingLong(TransactionId::startTimestamp).thenComparing(TransactionId::leader);

  private Judgments() {}

  static void encode(Encoder out, Map<TransactionId, Fate> judgments) {
    Map<TransactionId, Fate> sorted = new TreeMap<>(ORDER);
    sorted.putAll(judgments);
    out.length(sorted.size());
    sorted.forEach(
        (id, fate) -> {
          fate.writeJudgment(out.i64(id.startTimestamp()));
          out.place(id.leader());
        });
  }

  static Map<TransactionId, Fate> decode(Decoder in) {
    Map<TransactionId, Fate> judgments = new TreeMap<>(ORDER);
    for (int left = in.count(LEAST_BYTES, RequestLimits.MAX_JUDGMENTS, "judgments");
        left > 0;
        left--) {
      long start = in.i64();
      Fate fate = Fate.readJudgment(in);
      judgments.put(new TransactionId(start, in.place()), fate);
    }
    return judgments;
  }

  /**
   * Merges two maps up to the limit of a request, in their order; the first one has precedence, and
   * the earlier judgments of each.
   */
  public static Map<TransactionId, Fate> atMost(
      Map<TransactionId, Fate> first, Map<TransactionId, Fate> second) {
    Map<TransactionId, Fate> all = new LinkedHashMap<>();
    Room room = new Room();
    for (Map<TransactionId, Fate> some : List.of(first, second)) {
      some.forEach(
          (id, fate) -> {
            if (room.take(id)) {
              all.putIfAbsent(id, fate);
            }
          });
    }
    return all;
  }

  /** Room for the judgments of one request. For one thread at a time. */
  public static final class Room {

    private final Set<TransactionId> taken = new HashSet<>();
    private int bytes = OTHER_BYTES;

    /** Takes room for the judgment of a transaction, once; returns false if none is left. */
    public boolean take(TransactionId id) {
      if (taken.contains(id)) {
        return true;
      }
      int more = bytes(id.leader());
      if (taken.size() == RequestLimits.MAX_JUDGMENTS
          || bytes + more > RequestLimits.MAX_READ_BYTES) {
        return false;
      }
      bytes += more;
      return taken.add(id);
    }

    private static int bytes(RowFamily leader) {
      // Each length takes at most 5 bytes, and a character of a table's name at most 3.
      return Long.BYTES
          + Fate.MOST_JUDGMENT_BYTES
          + 15
          + 3 * leader.table().length()
          + leader.row().length()
          + leader.family().length();
    }
  }
}
