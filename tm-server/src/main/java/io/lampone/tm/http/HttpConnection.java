package io.lampone.tm.http;

import io.lampone.tm.net.LogBudget;
import io.lampone.tm.net.handshake.ConnectionLimit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.ssl.SslHandler;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to the HTTP port. Reads on demand only: the next request after the answer to the
 * last one has been sent.
 */
final class HttpConnection extends SimpleChannelInboundHandler<FullHttpRequest> {

  private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

  /** Headers that let a browser take nothing from elsewhere into a page, nor a page elsewhere. */
  private static final Map<String, String> BROWSER_LIMITS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
              + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Resource-Policy",
          "same-origin");

  private final Map<String, Supplier<HttpPage>> pages;
  private final HttpAccess access;
  private final Patience patience;
  private final ConnectionLimit connections;
  private final LogBudget refusals;
  private final LogBudget failures;

  /** True while waiting for a request. */
  private boolean waiting;

  /**
   * @param refusals limits the lines about requests without a token
   * @param failures limits the lines about pages that fail
   */
  HttpConnection(
      Map<String, Supplier<HttpPage>> pages,
      HttpAccess access,
      Patience patience,
      ConnectionLimit connections,
      LogBudget refusals,
      LogBudget failures) {
    this.pages = pages;
    this.access = access;
    this.patience = patience;
    this.connections = connections;
    this.refusals = refusals;
    this.failures = failures;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    ask(context);
  }

  /** Reads on if only a part of a request has arrived: FlowControlHandler drops the demand. */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (waiting) {
      context.read();
    }
    context.fireChannelReadComplete();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
    waiting = false;
    patience.begun();
    boolean head = request.method().equals(HttpMethod.HEAD);
    HttpPage page = answer(context, request, head);
    byte[] body = page.body().getBytes(StandardCharsets.UTF_8);
    ByteBuf content = head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body);
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(page.status()), content);
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, page.contentType());
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.length);
    response.headers().set(HttpHeaderNames.CACHE_CONTROL, "no-store");
    BROWSER_LIMITS.forEach(response.headers()::set);
    if (page.status() == HttpResponseStatus.METHOD_NOT_ALLOWED.code()) {
      response.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
    }
    if (page.status() == HttpResponseStatus.UNAUTHORIZED.code()) {
      response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
      refused(context);
    }
    boolean keepAlive = HttpUtil.isKeepAlive(request) && request.decoderResult().isSuccess();
    HttpUtil.setKeepAlive(response, keepAlive);
    var written = context.writeAndFlush(response);
    if (keepAlive) {
      written.addListener(taken -> next(context));
    } else {
      written.addListener(ChannelFutureListener.CLOSE);
    }
  }

  private void refused(ChannelHandlerContext context) {
    if (refusals.allows()) {
      LOG.warn(
          "a request to the HTTP port had a wrong token or none, remote={} notLogged={}",
          context.channel().remoteAddress(),
          refusals.takeSuppressed());
    }
  }

  private void next(ChannelHandlerContext context) {
    patience.over();
    connections.renew(context.channel());
    ask(context);
  }

  private void ask(ChannelHandlerContext context) {
    waiting = true;
    context.read();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("HTTP connection dropped, remote={}", context.channel().remoteAddress(), cause);
    context.close();
  }

  private HttpPage answer(ChannelHandlerContext context, FullHttpRequest request, boolean head) {
    if (request.decoderResult().isFailure()) {
      return HttpPage.plain(400, "not a request of HTTP\n");
    }
    if (!head && !request.method().equals(HttpMethod.GET)) {
      return HttpPage.plain(405, "this port can only be read: GET, HEAD\n");
    }
    String path;
    try {
      path = new QueryStringDecoder(request.uri()).path();
    } catch (IllegalArgumentException e) {
      return HttpPage.plain(400, "the path has a wrong escape\n");
    }
    try {
      Optional<HttpPage> refusal =
          access.refusal(
              new HttpHead(
                  path,
                  request.headers().get(HttpHeaderNames.HOST, ""),
                  request.headers().get(HttpHeaderNames.AUTHORIZATION, ""),
                  context.pipeline().get(SslHandler.class) != null,
                  context.channel().remoteAddress(),
                  context.channel().localAddress()));
      if (refusal.isPresent()) {
        return refusal.get();
      }
      Supplier<HttpPage> page = pages.get(path);
      return page == null ? HttpPage.plain(404, "no such page; / lists them\n") : page.get();
    } catch (RuntimeException e) {
      if (failures.allows()) {
        LOG.warn("page failed, uri={} notLogged={}", request.uri(), failures.takeSuppressed(), e);
      }
      return HttpPage.plain(500, "this page failed; see the log\n");
    }
  }
}
