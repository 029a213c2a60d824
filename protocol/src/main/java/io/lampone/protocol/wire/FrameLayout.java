package io.lampone.protocol.wire;

import io.lampone.protocol.trust.Grant;

/**
 * The layout of everything that transaction manager and clients exchange. All numbers are
 * big-endian.
 *
 * <pre>
 *   stream    = hello [ proof ] *( requests | command | transfer )       client to server
 *             | [ challenge [ counterproof ] ]                           server to client
 *               ( reject | welcome *( replies | result | transferReply ) [ goodbye ] )
 *   frame     = length:u32 crc:u32 kind:u8 body
 *               length counts kind and body; crc is the CRC-32C of kind and body
 *
 *   hello     = frame kind 1: magic:u32 lowestVersion:u16 highestVersion:u16 capabilities:u64
 *                             credentialLength:u16 credential
 *   welcome   = frame kind 2: magic:u32 version:u16 capabilities:u64 epoch:i64
 *                             maxFrameBytes:u32 maxMessages:u32
 *   reject    = frame kind 3: magic:u32 reason:u8 lowestVersion:u16 highestVersion:u16
 *                             textLength:u16 text
 *   challenge = frame kind 6: magic:u32 nonce:32bytes
 *   proof     = frame kind 7: magic:u32 nonce:32bytes mac:32bytes
 *   counterproof
 *             = frame kind 8: magic:u32 mac:32bytes
 *
 *   sasl      = frame kind 18: magic:u32 step:u8 tokenLength:u16 token      in the place of 6 to 8
 *
 *   goodbye   = frame kind 9: reason:u8 addressLength:u16 address
 *   command   = frame kind 10: id:i64 nameLength:u16 name argumentLength:u32 argument
 *   result    = frame kind 11: id:i64 succeeded:u8 textLength:u32 text
 *
 *   transfer  = frame kind 12: type:u8 ( ... )      from the primary that hands over to a backup
 *               1 offer      epoch:i64 idLength:u16 id
 *               2 conflicts  count:u32 count*( hash:i64 commitTimestamp:i64 )
 *               3 decisions  count:u32 count*( startTimestamp:i64 timestamp:i64 checkIndex:i32 )
 *                            checkIndex -1 = passed, -2 = assigned (with the capability ASSIGNED)
 *               4 holds      count:u32 count*( ownerLength:u16 owner nameLength:u16 name
 *                                              timestamp:i64 remainingMillis:i64 )
 *               5 last       lowWatermark:i64 horizon:i64 safePointPauseMillis:i64
 *                            conflicts:i64 decisions:i64 holds:i64 digest:i64
 *               6 written
 *               7 buckets    length:u32 map      before last, with the capability BUCKETS
 *               8 ping       timestamp:i64 length:u32 share    to a validator, instead of an offer
 *   transferReply
 *             = frame kind 13: type:u8 ( ... )
 *               1 received   entries:i64
 *               2 complete   digest:i64
 *               3 leading    epoch:i64
 *               4 refused    textLength:u16 text
 *               5 voting     nameLength:u16 name incarnation:i64 mark:i64 capacity:i64 entries:i64
 *                            votes:i64 hashes:i64 low:i64 length:u32 share      to a ping
 *
 *   requests  = frame kind 4: count:u32 count*( [ grant ] request )
 *               a grant before a validate or reserve
 *   grant     = 9:u8 first:i64 span:u32 secret:16bytes
 *   request   = typeAndPriority:u8 id:i64 ( begin | validate | status | vote | progress | reserve )
 *               the two high bits are the priority: 0 default, 1 system, 2 batch; without the
 *               capability PRIORITY they are 0
 *   begin     = type 1:
 *   validate  = type 2: startTimestamp:i64 flags:u8 checkCount:u32 recordCount:u32
 *                       checkCount*hash:i64 recordCount*hash:i64 [ mapVersion:i64 ]
 *               flags: bit 0 first sending, bit 1 conditional (with the capability ASSIGNED),
 *                      bit 2 of the last grant in this frame,
 *                      bit 3 its end will be reported (with the capability PROGRESS),
 *                      bit 4 the version of the map follows (with the capability BUCKETS)
 *   status    = type 3: startTimestamp:i64 snapshot:i64
 *   vote      = type 5: startTimestamp:i64 flags:u8 checkCount:u32 recordCount:u32
 *                       checkCount*hash:i64 recordCount*hash:i64 incarnation:i64
 *                       commitTimestamp:i64 pass:16bytes from:i64 readCount:u32
 *                       with the capability BUCKETS; flags are 0
 *   progress  = type 6: flags:u8 starts:u16 endedCount:u16 openCount:u16 textLength:u16
 *                       endedCount*commitTimestamp:i64 openCount*( snapshot:i64 ageMillis:u32 )
 *                       text [ hotRows ] [ work ] [ server ]
 *                       with the capability PROGRESS; text = a line for each open transaction,
 *                       printable ASCII
 *               flags: bit 0 open transactions are listed, else they are unchanged,
 *                      bit 1 of the hot rows the same (with the capability HOT_ROWS),
 *                      bit 2 work follows, bit 3 server (both with the capability WORK)
 *   reserve   = type 8: as validate, with at most 256 hashes and with the capability RESERVATIONS
 *               flags: bits 2 (always) and 4 as there, bit 5 release
 *   hotRows   = count:u16 textLength:u16 count*( conflicts:u32 winnerCommitTimestamp:i64 ) text
 *               text = a line for each: kind, table and row, with a space between
 *   work      = count:u16 count*( index:u16 count:u32 )      indexes of ClientWork
 *   server    = textLength:u16 text      lines: host and port; then a name and a number each
 *
 *   replies   = frame kind 5: count:u32 count*( [ begunGrant ] reply )
 *   begunGrant = 16:u8 first:i64 span:u32 secret:16bytes      of the begins that follow
 *   reply     = type:u8 id:i64 ( ... )
 *               1 begun              startTimestamp:i64 floor:i64
 *               2 validation passed  commitTimestamp:i64 pass:16bytes
 *               3 conflict           checkIndex:u32 winnerCommitTimestamp:i64
 *               4 refused            reason:u8 retryAfterMillis:u32
 *               5 status: not requested
 *               6 status: passed     commitTimestamp:i64 pass:16bytes
 *               7 status: conflict   void:16bytes
 *               8 status: unknown    void:16bytes      zeros: none
 *               9 failed             reason:u8 retryAfterMillis:u32
 *              10 assigned           commitTimestamp:i64 pass:16bytes     to a validation
 *              11 status: assigned   commitTimestamp:i64 void:16bytes     zeros: none
 *              12 voted                                                   to a vote
 *              13 progress           watermark:i64 floor:i64 first:i64 count:u16   starts, in the
 *                                    begunGrant; count 0 = none
 *              14 reserved                                                to a reserve or release
 *              15 reserved: conflict checkIndex:u32 winnerCommitTimestamp:i64
 *              17 reserved: held     checkIndex:u32 startTimestamp:i64    of the first updater
 * </pre>
 *
 * <p>Several messages share a frame, because then the checksum, the length check and the dispatch
 * are paid once per batch, and because the server checks its lease per batch: it answers a frame as
 * a whole or not at all.
 *
 * <p>The frame head and the frames of the handshake (kinds 1 to 3, 6 to 8 and 18) are the same in
 * every version, because two versions use them to discover that they differ. Every other extension
 * is either a new version or a capability that both ends have listed: see {@link Capabilities}.
 *
 * <p>Request ids strictly increase on a connection and are never reused on another one. Replies may
 * arrive in any order.
 */
public final class FrameLayout {

  /** The version of this layout. */
  public static final int VERSION = 1;

  /** The oldest supported version. */
  public static final int LOWEST_VERSION = 1;

  /** First bytes of the body of every handshake frame: "LMPN". */
  public static final int MAGIC = 0x4c4d504e;

  public static final int LENGTH_OFFSET = 0;
  public static final int CRC_OFFSET = LENGTH_OFFSET + Integer.BYTES;

  /** Length and checksum: the part that the checksum does not cover. */
  public static final int HEAD_BYTES = CRC_OFFSET + Integer.BYTES;

  public static final int KIND_OFFSET = HEAD_BYTES;
  public static final int BODY_OFFSET = KIND_OFFSET + Byte.BYTES;

  static final int COUNT_OFFSET = BODY_OFFSET;

  /** Offset of the first message of a batch. */
  static final int MESSAGES_OFFSET = COUNT_OFFSET + Integer.BYTES;

  /** Type and id, the head of every message. */
  static final int MESSAGE_HEAD_BYTES = Byte.BYTES + Long.BYTES;

  // Offsets within a request or a reply.
  static final int TYPE_OFFSET = 0;
  static final int ID_OFFSET = TYPE_OFFSET + Byte.BYTES;

  // Offsets within a validate request; a status request shares the first one.
  static final int START_TIMESTAMP_OFFSET = ID_OFFSET + Long.BYTES;
  static final int FLAGS_OFFSET = START_TIMESTAMP_OFFSET + Long.BYTES;
  static final int CHECK_COUNT_OFFSET = FLAGS_OFFSET + Byte.BYTES;
  static final int RECORD_COUNT_OFFSET = CHECK_COUNT_OFFSET + Integer.BYTES;
  static final int HASHES_OFFSET = RECORD_COUNT_OFFSET + Integer.BYTES;

  /** A grant with the byte that announces it; not a message. */
  static final int GRANT_BYTES = Byte.BYTES + Grant.BYTES;

  // Offsets within a progress request.
  static final int REPORT_FLAGS_OFFSET = ID_OFFSET + Long.BYTES;
  static final int STARTS_OFFSET = REPORT_FLAGS_OFFSET + Byte.BYTES;
  static final int ENDED_COUNT_OFFSET = STARTS_OFFSET + Short.BYTES;
  static final int OPEN_COUNT_OFFSET = ENDED_COUNT_OFFSET + Short.BYTES;
  static final int TEXT_LENGTH_OFFSET = OPEN_COUNT_OFFSET + Short.BYTES;
  static final int ENDED_OFFSET = TEXT_LENGTH_OFFSET + Short.BYTES;

  /** Length of an open transaction in a progress request, without its line of text. */
  static final int OPEN_BYTES = Long.BYTES + Integer.BYTES;

  /** Counts before the hot rows of a progress request. */
  static final int HOT_HEAD_BYTES = 2 * Short.BYTES;

  /** Length of a hot row in a progress request, without its line of text. */
  static final int HOT_BYTES = Integer.BYTES + Long.BYTES;

  /** Length of a count of work in a progress request. */
  static final int WORK_BYTES = Short.BYTES + Integer.BYTES;

  // Offsets within a grant.
  static final int GRANT_FIRST_OFFSET = Byte.BYTES;
  static final int GRANT_SPAN_OFFSET = GRANT_FIRST_OFFSET + Long.BYTES;
  static final int GRANT_SECRET_OFFSET = GRANT_SPAN_OFFSET + Integer.BYTES;

  static final int BEGIN_BYTES = MESSAGE_HEAD_BYTES;
  static final int SNAPSHOT_OFFSET = START_TIMESTAMP_OFFSET + Long.BYTES;
  static final int STATUS_BYTES = SNAPSHOT_OFFSET + Long.BYTES;
  static final int VALIDATE_FIXED_BYTES = HASHES_OFFSET;

  /** Flag of a validate request: no request for this transaction has been sent before. */
  public static final int FLAG_FIRST_SENDING = 1;

  /** Flag of a validate request: something remains to be checked at the commit timestamp. */
  public static final int FLAG_CONDITIONAL = 1 << 1;

  /** Flag of a validate request: the transaction belongs to the last grant in the frame. */
  public static final int FLAG_GRANT = 1 << 2;

  /** Flag of a validate request: the client will report the end of the transaction. */
  public static final int FLAG_REPORTED = 1 << 3;

  /** Flag of a validate request: the version of the map of buckets follows the hashes. */
  public static final int FLAG_SHARDED = 1 << 4;

  /** Flag of a reserve request: the hashes are released. */
  public static final int FLAG_RELEASE = 1 << 5;

  /** Maximum number of hashes of a reserve request, checked and recorded. */
  public static final int MAX_RESERVED = 256;

  static final int RESERVE_FLAGS = FLAG_GRANT | FLAG_SHARDED | FLAG_RELEASE;

  static final int VALIDATE_FLAGS =
      FLAG_FIRST_SENDING | FLAG_CONDITIONAL | FLAG_GRANT | FLAG_REPORTED | FLAG_SHARDED;

  // Offsets within a vote, from the end of its hashes.
  static final int INCARNATION_OFFSET = 0;
  static final int VOTE_COMMIT_OFFSET = INCARNATION_OFFSET + Long.BYTES;
  static final int VOTE_PASS_OFFSET = VOTE_COMMIT_OFFSET + Long.BYTES;
  static final int VOTE_FROM_OFFSET = VOTE_PASS_OFFSET + 2 * Long.BYTES;
  static final int READ_COUNT_OFFSET = VOTE_FROM_OFFSET + Long.BYTES;

  /** Length of a vote after its hashes. */
  static final int VOTE_TAIL_BYTES = READ_COUNT_OFFSET + Integer.BYTES;

  /** Flag of a progress report: open transactions are listed. */
  static final int FLAG_LISTS = 1;

  /** Flag of a progress report: hot rows are listed. */
  static final int FLAG_HOT_ROWS = 1 << 1;

  /** Flag of a progress report: what the client has done. */
  static final int FLAG_WORK = 1 << 2;

  /** Flag of a progress report: the state of a region server. */
  static final int FLAG_SERVER = 1 << 3;

  static final int REPORT_FLAGS = FLAG_LISTS | FLAG_HOT_ROWS | FLAG_WORK | FLAG_SERVER;

  /** Maximum length of a handshake frame without SASL, head included. */
  public static final int MAX_HANDSHAKE_BYTES = 1024;

  /** Maximum length of a credential in a hello. */
  public static final int MAX_CREDENTIAL_BYTES = 512;

  /** Maximum length of the text in a reject; longer texts are cut. */
  public static final int MAX_TEXT_BYTES = 512;

  /** Maximum token of a SASL step; a ticket with a Windows PAC has several kilobytes. */
  public static final int MAX_SASL_TOKEN_BYTES = 16 << 10;

  /** The last SASL step: three tokens of the client, two of the server (RFC 4752). */
  public static final int LAST_SASL_STEP = 5;

  /** Maximum length of the frame of a SASL step, head included. */
  public static final int MAX_SASL_FRAME_BYTES = MAX_SASL_TOKEN_BYTES + 16;

  /** Number of random bytes in a challenge and in the proof that answers it. */
  public static final int NONCE_BYTES = 32;

  /** Length of an HMAC-SHA256, in bytes. */
  public static final int MAC_BYTES = 32;

  /** Maximum length of an address in a goodbye. */
  public static final int MAX_ADDRESS_BYTES = 512;

  /** Maximum length of the name of a command. */
  public static final int MAX_COMMAND_NAME_BYTES = 64;

  /** Maximum length of the argument of a command. */
  public static final int MAX_COMMAND_ARGUMENT_BYTES = 2048;

  /** Maximum length of the result of a command. */
  public static final int MAX_RESULT_BYTES = 1 << 20;

  /** Maximum length of the name of a hand-over or hold, and of the reason of a refused transfer. */
  public static final int MAX_TRANSFER_TEXT_BYTES = 512;

  /** Maximum length of a transfer frame, independent of the receiver's limit for clients. */
  public static final int MAX_TRANSFER_FRAME_BYTES = 512 << 10;

  /** Length of a conflict in a transfer. */
  static final int TRANSFER_CONFLICT_BYTES = 2 * Long.BYTES;

  /** Length of a decision in a transfer. */
  static final int TRANSFER_DECISION_BYTES = 2 * Long.BYTES + Integer.BYTES;

  /** Length of a hold in a transfer, without its two texts. */
  static final int TRANSFER_HOLD_FIXED_BYTES = 2 * Short.BYTES + 2 * Long.BYTES;

  /** Shift of the priority in the first byte of a request. */
  static final int PRIORITY_SHIFT = 6;

  /** Mask of the type in the first byte of a request. */
  static final int TYPE_MASK = (1 << PRIORITY_SHIFT) - 1;

  /** Upper limit of the configurable maximum frame length. */
  public static final int HIGHEST_MAX_FRAME_BYTES = 64 << 20;

  /** Lower limit of the configurable maximum frame length. */
  public static final int LOWEST_MAX_FRAME_BYTES = 4 << 10;

  private FrameLayout() {}
}
