package io.lampone.simulation.world;

import io.lampone.protocol.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lists of numbers as cells hold them: eight bytes each, oldest first. */
public final class Lists {

  private Lists() {}

  public static Bytes append(Optional<Bytes> list, long element) {
    byte[] before = list.orElse(Bytes.EMPTY).toArray();
    return Bytes.wrap(
        ByteBuffer.allocate(before.length + Long.BYTES).put(before).putLong(element).array());
  }

  public static List<Long> decode(Optional<Bytes> list) {
    ByteBuffer bytes = ByteBuffer.wrap(list.orElse(Bytes.EMPTY).toArray());
    List<Long> elements = new ArrayList<>();
    while (bytes.remaining() >= Long.BYTES) {
      elements.add(bytes.getLong());
    }
    return elements;
  }
}
