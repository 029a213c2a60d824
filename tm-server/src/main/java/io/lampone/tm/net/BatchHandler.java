package io.lampone.tm.net;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.RequestType;
import io.lampone.protocol.wire.WireReply;
import io.lampone.tm.admission.Admission;
import io.lampone.tm.admission.Share;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.validation.BatchOutcome;
import io.netty.channel.ChannelHandlerContext;
import java.util.Optional;
import java.util.function.Consumer;

/** Executes or refuses the requests of one welcomed client. Event loop only. */
final class BatchHandler {

  /** Maximum pause; much shorter than a client's limit for a silent server. */
  private static final int LONGEST_PAUSE_MILLIS = 250;

  /** Pause suggested to a client that does not read its replies. */
  private static final int OVERLOAD_RETRY_AFTER_MILLIS = 50;

  private final TmServerChannel listener;
  private final ReadControl readControl;
  private final ReplyBuffer replyBuffer;
  private final Runnable dead;
  private final Consumer<ChannelHandlerContext> send;
  private final Share share = new Share();

  /** The highest request id so far; ids increase. */
  private long lastId = Long.MIN_VALUE;

  /**
   * @param dead makes the connection {@link ConnectionState#DEAD}
   * @param send sends the replies, unless the connection has become so
   */
  BatchHandler(
      TmServerChannel listener,
      ReadControl readControl,
      ReplyBuffer replyBuffer,
      Runnable dead,
      Consumer<ChannelHandlerContext> send) {
    this.listener = listener;
    this.readControl = readControl;
    this.replyBuffer = replyBuffer;
    this.dead = dead;
    this.send = send;
  }

  /** Executes or refuses a frame; returns true if its visible part was executed. */
  boolean handle(
      ChannelHandlerContext context, ClientSession client, RequestCursor requests, int bytes) {
    if (requests.firstId() <= lastId) {
      throw new MalformedException(
          "ids do not increase, id=" + requests.firstId() + " last=" + lastId);
    }
    lastId = requests.lastId();
    if (!client.mayRequest()) {
      silence(context);
      return false;
    }
    int retryAfterMillis = retryAfterMillis(client, requests, bytes);
    if (retryAfterMillis == 0) {
      execute(context, client, requests);
      return true;
    }
    if (listener.node().orElseThrow().leading().isPresent()) {
      ReplyWriter answers = replyBuffer.start(context, requests.count());
      listener.metrics().overloaded();
      refuse(requests, answers, retryAfterMillis);
      finishAnswers(context, answers);
      EventLoopTurns rounds = listener.rounds();
      if (listener
              .admission()
              .ignoresRefusals(share, retryAfterMillis, rounds.number(), rounds.nowNanos())
          && readControl.pause(
              context.executor(), Math.min(retryAfterMillis, LONGEST_PAUSE_MILLIS))) {
        listener.metrics().paused();
      }
    } else {
      silence(context);
    }
    return false;
  }

  /** Executes the visible requests. */
  void execute(ChannelHandlerContext context, ClientSession client, RequestCursor requests) {
    ManagerNode node = listener.node().orElseThrow();
    listener.clients().received(client, requests);
    ReplyWriter answers = replyBuffer.start(context, requests.count());
    BatchOutcome outcome = node.handle(requests, answers);
    if (outcome instanceof BatchOutcome.Suspicious suspicious) {
      suspect(context, node, suspicious.timestamp());
    } else if (outcome instanceof BatchOutcome.Unowned unowned) {
      dead.run();
      listener.desk().unowned(context.channel(), client, unowned.startTimestamp());
      context.close();
    } else if (outcome instanceof BatchOutcome.Silent) {
      silence(context);
    } else {
      finishAnswers(context, answers);
    }
  }

  /** Returns the pause that these requests must observe, in milliseconds; 0 = execute them now. */
  private int retryAfterMillis(ClientSession client, RequestCursor requests, int bytes) {
    int waiting = client.outstanding() + replyBuffer.replies() + requests.count();
    if (waiting > listener.limits().maxOutstandingPerConnection()) {
      listener.metrics().refused(client.tenant(), Optional.empty());
      return OVERLOAD_RETRY_AFTER_MILLIS;
    }
    Admission admission = listener.admission();
    int millis =
        admission.admit(
            share,
            client.tenant(),
            client.principal().name(),
            requests,
            bytes,
            listener.outstanding() + replyBuffer.replies(),
            listener.rounds().beganNanos());
    if (millis > 0) {
      listener.metrics().refused(client.tenant(), Optional.of(admission.reason()));
    }
    return millis;
  }

  /**
   * Answers each request of the whole frame with "not executed" and a pause. This is not an answer
   * that needs the lease, but only a primary gives it.
   */
  private static void refuse(RequestCursor requests, ReplyWriter answers, int retryAfterMillis) {
    requests.cut(Integer.MAX_VALUE);
    while (requests.next()) {
      int type = requests.type();
      if (type == RequestType.VALIDATE || type == RequestType.VOTE || type == RequestType.RESERVE) {
        answers.refused(requests.id(), Validator.Reason.OVERLOADED, retryAfterMillis);
      } else {
        answers.failed(requests.id(), WireReply.Failure.OVERLOADED, retryAfterMillis);
      }
    }
  }

  /** Releases a frame of answers, sent together with the others of this round of reading. */
  private void finishAnswers(ChannelHandlerContext context, ReplyWriter answers) {
    if (replyBuffer.finish(answers)) {
      send.accept(context);
    }
  }

  /** Closes the connection: without a proof of the lease, the client must look for the primary. */
  private void silence(ChannelHandlerContext context) {
    dead.run();
    listener.metrics().silenced();
    context.close();
  }

  /**
   * Handles a timestamp at or above the bound. If the epoch has moved, the node retires, which
   * closes every connection; if not, or if that is unknown, the client has invented the timestamp
   * and loses this connection.
   */
  private void suspect(ChannelHandlerContext context, ManagerNode node, long timestamp) {
    dead.run();
    readControl.stop(ReadControl.Reason.ENDED);
    listener.desk().suspicious(context.channel(), timestamp);
    node.verifyEpoch().whenComplete((verified, failure) -> context.close());
  }
}
