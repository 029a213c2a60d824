package io.lampone.tm.net;

import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.tm.security.CertificateNames;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLPeerUnverifiedException;

/** A connection that has just been accepted. Event loop only. */
final class SocketArrival implements Arrival {

  private final Channel channel;
  private final FrameWriter writer;
  private final boolean tlsDemanded;
  private final BooleanSupplier full;

  SocketArrival(Channel channel, FrameWriter writer, boolean tlsDemanded, BooleanSupplier full) {
    this.channel = channel;
    this.writer = writer;
    this.tlsDemanded = tlsDemanded;
    this.full = full;
  }

  @Override
  public boolean full() {
    return full.getAsBoolean();
  }

  @Override
  public boolean lacksTls() {
    return tlsDemanded && channel.pipeline().get(SslHandler.class) == null;
  }

  @Override
  public Optional<String> certificateName() {
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls == null) {
      return Optional.empty();
    }
    try {
      Certificate[] chain = tls.engine().getSession().getPeerCertificates();
      return chain[0] instanceof X509Certificate certificate
          ? CertificateNames.principal(certificate)
          : Optional.empty();
    } catch (SSLPeerUnverifiedException e) {
      return Optional.empty(); // it has shown none
    }
  }

  @Override
  public boolean local() {
    return channel.remoteAddress() instanceof InetSocketAddress from
        && from.getAddress().isLoopbackAddress();
  }

  @Override
  public String origin() {
    return String.valueOf(channel.remoteAddress());
  }

  @Override
  public void send(Handshake frame) {
    frame.writeTo(writer);
    var bytes = writer.finish();
    channel.writeAndFlush(channel.alloc().buffer(bytes.remaining()).writeBytes(bytes));
  }
}
