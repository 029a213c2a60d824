/**
 * Requests to regions, their replies, limits and encodings (protocol page, sections 4, 5 and 8).
 */
@NullMarked
package io.lampone.protocol.request;

import org.jspecify.annotations.NullMarked;
