package io.lampone.simulation.manager;

import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tmclient.Transport;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Changes each request between the client of the transaction manager and its connection. */
public final class RewritingTransport implements Transport {

  private final Transport transport;
  private final UnaryOperator<WireRequest> change;
  private final FrameWriter writer = new FrameWriter();

  public RewritingTransport(Transport transport, UnaryOperator<WireRequest> change) {
    this.transport = transport;
    this.change = change;
  }

  @Override
  public CompletableFuture<InetSocketAddress> resolve(InetSocketAddress address) {
    return transport.resolve(address);
  }

  @Override
  public void connect(InetSocketAddress address, Listener listener) {
    transport.connect(address, new PassingListener(listener));
  }

  private ByteBuffer rewritten(ByteBuffer frame) {
    writer.start(FrameKind.REQUESTS);
    WireRequest.readBatch(FrameReader.open(frame), Integer.MAX_VALUE)
        .forEach(request -> change.apply(request).writeTo(writer));
    return writer.finish();
  }

  private final class RewritingConnection implements Connection {

    private final Connection connection;

    RewritingConnection(Connection connection) {
      this.connection = connection;
    }

    @Override
    public void send(ByteBuffer frame) {
      connection.send(FrameKind.REQUESTS.isKindOf(frame) ? rewritten(frame) : frame);
    }

    @Override
    public void close() {
      connection.close();
    }
  }

  private final class PassingListener implements Listener {

    private final Listener listener;

    PassingListener(Listener listener) {
      this.listener = listener;
    }

    @Override
    public void begun(Connection connection) {
      listener.begun(new RewritingConnection(connection));
    }

    @Override
    public void established() {
      listener.established();
    }

    @Override
    public void received(ByteBuffer frame) {
      listener.received(frame);
    }

    @Override
    public void closed() {
      listener.closed();
    }

    @Override
    public void refused(String problem) {
      listener.refused(problem);
    }

    @Override
    public void failed(Throwable cause) {
      listener.failed(cause);
    }
  }
}
