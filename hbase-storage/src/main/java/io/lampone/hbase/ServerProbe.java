package io.lampone.hbase;

import io.lampone.protocol.time.SystemClock;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.filter.FilterBase;

/**
 * Probe for our code on a region server, and for its version. It is sent as the filter of any Get.
 *
 * <p>A server first creates a request's filters, by class name. A server with our jar calls {@link
 * #parseFrom}, which answers by an exception: no region is read, and no permission on a table is
 * needed. A server without it reports an unknown class. Neither is harmed, whereas opening a region
 * of a transactional table without the jar would end the server.
 */
public final class ServerProbe extends FilterBase {

  private static final byte[] NOTHING = {};

  @Override
  public byte[] toByteArray() {
    return NOTHING;
  }

  /** Called by HBase on the server; always throws. */
  public static ServerProbe parseFrom(byte[] bytes) throws DeserializationException {
    throw new DeserializationException(
        ServerAnswer.ofThisProcess(SystemClock.INSTANCE).toText() + " bytes=" + bytes.length);
  }
}
