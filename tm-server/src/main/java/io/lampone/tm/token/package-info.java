/** Delegation tokens: issued, verified, renewed and cancelled. */
@NullMarked
package io.lampone.tm.token;

import org.jspecify.annotations.NullMarked;
