package io.lampone.client.hbase.transport;

import java.io.IOException;

/**
 * Signals a request that has not left this process, for lack of a connection. A separate type,
 * because a server may fail with the exception that HBase's client has then, after a change.
 */
public final class NotSentException extends IOException {

  private static final long serialVersionUID = 1L;

  NotSentException(IOException why) {
    super("the request was not sent", why);
  }
}
