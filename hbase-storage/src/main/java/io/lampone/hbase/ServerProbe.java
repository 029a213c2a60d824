package io.lampone.hbase;

import io.lampone.protocol.time.SystemClock;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.filter.FilterBase;

/**
 * A question to a region server: is our code there, and which? It rides as the filter of any Get.
 *
 * <p>A server makes the filters of a request before it looks at anything else, by the name of the
 * class: one that has our jar comes into {@link #parseFrom}, which answers by an exception, so that
 * no region is read and no permission on a table is needed; one that has not says that it knows no
 * such class. Neither is harmed, where opening a region of a transactional table without the jar
 * would end the server.
 */
public final class ServerProbe extends FilterBase {

  private static final byte[] NOTHING = {};

  @Override
  public byte[] toByteArray() {
    return NOTHING;
  }

  /** Called by HBase on the server; never returns. */
  public static ServerProbe parseFrom(byte[] bytes) throws DeserializationException {
    throw new DeserializationException(
        ServerAnswer.ofThisProcess(SystemClock.INSTANCE).toText() + " bytes=" + bytes.length);
  }
}
