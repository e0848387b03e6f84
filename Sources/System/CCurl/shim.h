#pragma once
#include <curl/curl.h>

// Swift cannot call functions with variable arguments.
static inline CURLcode baton_curl_set_number(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode baton_curl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode baton_curl_set_headers(CURL *easy, struct curl_slist *headers) {
  return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
}

static inline CURLcode baton_curl_on_body(CURL *easy, curl_write_callback take, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

static inline CURLcode baton_curl_on_open(CURL *easy, curl_opensocket_callback open, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
}

static inline long baton_curl_status(CURL *easy) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

static inline CURLMcode baton_curl_limit(CURLM *multi, long connections) {
  return curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections);
}

static inline CURLMcode baton_curl_on_socket(CURLM *multi, curl_socket_callback changed, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, changed);
  return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
}

static inline CURLMcode baton_curl_on_timer(CURLM *multi, curl_multi_timer_callback changed, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, changed);
  return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}
