package io.lampone.benchmarks;

import io.lampone.benchmarks.report.Fields;
import io.lampone.tm.net.EventLoopTransport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetSocketAddress;

/**
 * Echo server, which measures the cost of the transport alone. Its event loop is of the same kind
 * as the transaction manager's.
 */
public final class EchoProcess {

  private EchoProcess() {}

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    EventLoopTransport transport = EventLoopTransport.best();
    EventLoopGroup loop = transport.start("echo", MemoryManagerProcess.busyPoll(arguments));
    Channel channel =
        new ServerBootstrap()
            .group(loop)
            .channel(
                transport == EventLoopTransport.EPOLL
                    ? EpollServerSocketChannel.class
                    : NioServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(new Initializer())
            .bind(new InetSocketAddress("127.0.0.1", 0))
            .sync()
            .channel();
    int port = ((InetSocketAddress) channel.localAddress()).getPort();
    new ChildProtocol(System.in, System.out).holdSilently(Fields.of("ready").with("port", port));
    System.exit(0);
  }

  private static final class Initializer extends ChannelInitializer<SocketChannel> {

    @Override
    protected void initChannel(SocketChannel socket) {
      socket.pipeline().addLast(new Echo());
    }
  }

  private static final class Echo extends ChannelInboundHandlerAdapter {

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      context.write(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }
  }
}
