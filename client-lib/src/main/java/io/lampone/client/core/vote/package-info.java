/** Votes of validators other than the primary (protocol page, section 14). */
@NullMarked
package io.lampone.client.core.vote;

import org.jspecify.annotations.NullMarked;
