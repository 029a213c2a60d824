package io.lampone.tm.http;

/**
 * Page served under a path.
 *
 * @param status the HTTP status
 * @param contentType the media type of the body
 * @param body the text
 */
public record HttpPage(int status, String contentType, String body) {

  /** Good news in plain text. */
  public static HttpPage text(String body) {
    return new HttpPage(200, "text/plain; charset=utf-8", body);
  }

  /** A refusal, as plain text. */
  static HttpPage plain(int status, String text) {
    return new HttpPage(status, "text/plain; charset=utf-8", text);
  }

  /** JSON, as good or as bad news. */
  public static HttpPage json(boolean good, String body) {
    return new HttpPage(good ? 200 : 503, "application/json; charset=utf-8", body);
  }
}
