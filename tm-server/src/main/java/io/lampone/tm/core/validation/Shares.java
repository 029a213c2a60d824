package io.lampone.tm.core.validation;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.BucketMap;
import java.util.ArrayList;
import java.util.List;

/** Text of the buckets of a validator: ranges, separated by commas. */
public final class Shares {

  private Shares() {}

  /** Encodes the buckets of the validator at an address. */
  public static String encode(String address, BucketMap map) {
    StringBuilder text = new StringBuilder();
    int from = 0;
    for (BucketMap.Run run : map.runs()) {
      int owner = run.eras().get(0).owner();
      int to = from + run.length();
      if (owner > BucketMap.PRIMARY && map.validator(owner).address().equals(address)) {
        text.append(text.isEmpty() ? "" : ",").append(from).append('-').append(to);
      }
      from = to;
    }
    return text.toString();
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @throws MalformedException if it is not such text
   */
  public static List<Integer> decode(String text) {
    List<Integer> buckets = new ArrayList<>();
    try {
      for (String range : text.isEmpty() ? new String[0] : text.split(",", -1)) {
        int dash = range.indexOf('-');
        int to = Math.min(BucketMap.BUCKETS, Integer.parseInt(range.substring(dash + 1)));
        for (int i = Integer.parseInt(range.substring(0, dash)); i >= 0 && i < to; i++) {
          buckets.add(i);
        }
      }
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      throw new MalformedException("unreadable share of a validator, share=" + text, e);
    }
    return buckets;
  }
}
