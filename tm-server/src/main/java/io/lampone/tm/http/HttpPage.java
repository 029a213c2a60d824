package io.lampone.tm.http;

/**
 * A page served under a path.
 *
 * @param status the HTTP status
 * @param contentType the media type of the body
 * @param body the text
 */
public record HttpPage(int status, String contentType, String body) {

  /** Returns a page of plain text with status 200. */
  public static HttpPage text(String body) {
    return new HttpPage(200, "text/plain; charset=utf-8", body);
  }

  /** Returns a page of plain text with a status. */
  public static HttpPage plain(int status, String text) {
    return new HttpPage(status, "text/plain; charset=utf-8", text);
  }

  /** Returns JSON with status 200, or 503 unless {@code good}. */
  public static HttpPage json(boolean good, String body) {
    return new HttpPage(good ? 200 : 503, "application/json; charset=utf-8", body);
  }
}
